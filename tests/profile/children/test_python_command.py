"""A program inside a recording sees what it would see without: arguments, path, __main__, exit code."""

import json
import subprocess
import sys

import pytest

from perfproof.profile.python_program import CHILD

SEEN = """
import json, os, sys, __main__
print(json.dumps([sys.argv, sys.path[0], __name__, globals().get("__file__"), __main__.__dict__ is globals()]))
"""


def run(*arguments, cwd):
    command = [sys.executable, str(CHILD), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


def plain(*arguments, cwd):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("arguments", [("sub/a.py", "x", "--y"), ("-c", SEEN, "x"), ("-m", "sub.a", "z")])
def test_a_program_sees_what_python_would_show_it(arguments, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.py").write_text(SEEN)
    inside, outside = run(*arguments, cwd=tmp_path), plain(*arguments, cwd=tmp_path)
    assert inside.returncode == outside.returncode == 0, inside.stderr
    assert json.loads(inside.stdout) == json.loads(outside.stdout)


@pytest.mark.parametrize(("text", "code"), [("3", 3), ("'why'", 1), ("None", 0), ("", 0)])
def test_its_exit_code_is_ours(text, code, tmp_path):
    assert run("-c", f"import sys; sys.exit({text})", cwd=tmp_path).returncode == code


def test_an_error_is_shown_as_python_shows_it(tmp_path):
    done = run("-c", "1 / 0", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.rstrip().endswith("ZeroDivisionError: division by zero")


def test_what_it_left_for_its_end_still_finds_its_names(tmp_path):
    (tmp_path / "a.py").write_text("import atexit\nword = 'kept'\natexit.register(lambda: print(word))\n")
    assert run("a.py", cwd=tmp_path).stdout == "kept\n"


def test_modules_beside_the_script_are_found_and_ours_are_not(tmp_path):
    (tmp_path / "capture.py").write_text("mine = 1")
    (tmp_path / "a.py").write_text("import capture; print(capture.mine)")
    assert run("a.py", cwd=tmp_path).stdout == "1\n"
