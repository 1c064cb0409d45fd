"""The command line starts without what takes long to import. What is checked is what is loaded, not the time."""

import json
import subprocess
import sys

import pytest

HEAVY = ("torch", "triton", "numpy", "scipy", "pydantic", "rich", "psutil", "pynvml")
ANSWER = ["completion", "--answer", "perfproof open --artifacts-dir nowhere "]
SHOW = """
import json, sys
from perfproof.cli.app import main
code = main(sys.argv[1:])
print(json.dumps([code, [name for name in %r if name in sys.modules]]))
"""


def loaded_by(*arguments):
    program = SHOW % (HEAVY,)
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    code, loaded = json.loads(done.stdout.splitlines()[-1])
    assert code in (0, 1) and not done.stderr, done.stderr  # 1: a table of the chapters is not current
    return loaded


@pytest.mark.parametrize("arguments", [["--help"], ["-V"], ["run", "--help"], ["list", "-h"], ["help", "ab"], ANSWER])
def test_help_loads_nothing_heavy(arguments):
    assert loaded_by(*arguments) == []


@pytest.mark.parametrize(
    "arguments", [["list"], ["explain", "W104"], ["report", "chapters", "--check"], ["clean", "--dry-run"]]
)
def test_commands_that_run_nothing_do_not_load_torch(arguments):
    assert not {"torch", "triton", "numpy", "scipy"} & set(loaded_by(*arguments))


def test_the_package_itself_loads_nothing():
    code = "import sys, perfproof; sys.exit(any(n.startswith('perfproof.') for n in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_compare_is_found_when_it_is_asked_for():
    import perfproof
    from perfproof.notebook import compare as door

    assert perfproof.compare is door.compare and "compare" in dir(perfproof)
    with pytest.raises(AttributeError, match="no attribute 'contrast'"):
        perfproof.contrast  # noqa: B018
