"""Whole programs: what is refused, what is measured, and that nothing outlives a run."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perfproof.bench.programs.program import Program, Spawner, kept_text, shell_syntax, split_command
from perfproof.core.errors import UsageError
from perfproof.core.units import MiB


@pytest.fixture(scope="module")
def spawner():
    with Spawner() as process:
        yield process


@pytest.fixture
def run(spawner, tmp_path):
    def once(*arguments, seconds=20.0, **variables):
        return spawner.run(Program("a", arguments, tmp_path, variables), "a", seconds)

    return once


@pytest.mark.parametrize(
    "text",
    [
        "cat x | wc",
        "make > log",
        "make 2>&1",
        "make && ./run",
        "a; b",
        "a &",
        "echo $HOME",
        'echo "$HOME"',
        "echo ${HOME}",
        "echo `date`",
        "echo $(date)",
        "ls *.py",
        "~/bin/x",
        "X=1 ./run",
        "X='a b' ./run",
        r'echo "\"$HOME"',
        "ls 'a'*",
    ],
)
def test_what_only_a_shell_understands_is_refused(text):
    with pytest.raises(UsageError, match="which only a shell understands") as refused:
        split_command(text, "--a")
    assert "sh -c" in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("./run --size 3", ("./run", "--size", "3")),
        ("awk '{print $1}' 'a b'", ("awk", "{print $1}", "a b")),
        ("python -c \"print('a|b; c > d')\"", ("python", "-c", "print('a|b; c > d')")),
        ("echo 'a && b'", ("echo", "a && b")),
        ("grep 'x*' y", ("grep", "x*", "y")),
        ("price 5$", ("price", "5$")),
        (r'python -c "f(\"a b\" * 3)"', ("python", "-c", 'f("a b" * 3)')),
        (r"echo \$HOME a\ \*", ("echo", "$HOME", "a *")),
        ("git show HEAD~1", ("git", "show", "HEAD~1")),
        ("run --set x=1", ("run", "--set", "x=1")),
    ],
)
def test_quoted_text_is_an_argument_like_any_other(text, arguments):
    assert shell_syntax(text) == ""
    assert split_command(text, "--a") == arguments


@pytest.mark.parametrize("text", ["", "  ", "''", "echo 'unclosed"])
def test_a_command_that_is_none_is_refused(text):
    with pytest.raises(UsageError):
        split_command(text, "--a")


def test_shell_syntax_is_not_executed(run, spawner, tmp_path):
    run("echo", "a;", "touch", "made", "$(touch made)", ">", "made")
    assert not (tmp_path / "made").exists()
    assert kept_text(spawner.stdout_of("a")) == "a; touch made $(touch made) > made\n"


def test_a_small_program_does_not_report_the_size_of_the_process_that_compares(run):
    ballast = b"x" * (64 * MiB)
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    done = run("true")
    assert done.peak_bytes is None and done.floor_bytes < 20 * MiB < 64 * MiB <= ours
    del ballast


def test_memory_and_cpu_time_are_those_of_the_program_and_its_children(run):
    child = (
        "import time; x = bytearray(48 * 2**20); end = time.process_time() + .1\nwhile time.process_time() < end: pass"
    )
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    done = run(sys.executable, "-c", code)
    assert 48 * MiB < done.peak_bytes < 96 * MiB
    assert done.cpu_seconds > 0.1 and done.seconds > 0


def test_the_exit_status_is_told(run):
    assert run("sh", "-c", "exit 3").failure == "exited with 3"
    assert run("sh", "-c", "kill -9 $$").failure == "was killed by SIGKILL"
    assert run("true").failure == ""


def test_a_program_gets_no_input_its_own_folder_and_its_variables(run, spawner, tmp_path):
    run("sh", "-c", "cat; pwd; echo $ONE", ONE="two words")
    assert kept_text(spawner.stdout_of("a")) == f"{tmp_path}\ntwo words\n"


def test_the_size_of_the_environment_is_drawn_anew():
    sizes = {len(Program("a", ("true",), Path(".")).environment()["PERFPROOF_PADDING"]) for _ in range(20)}
    assert len(sizes) > 5


def test_a_broken_pipe_ends_a_program_as_it_would_from_a_shell(run):
    assert run("sh", "-c", "yes | head -1 > /dev/null").failure == ""


@pytest.mark.parametrize("name", ["no-such-program", "./no-such-program"])
def test_a_program_that_is_not_there_is_refused(run, name):
    with pytest.raises(UsageError, match="there is no program"):
        run(name)


def test_a_file_that_cannot_be_executed_is_refused(run, tmp_path):
    (tmp_path / "broken").write_bytes(b"\x00\x01\x02")
    (tmp_path / "broken").chmod(0o755)
    with pytest.raises(UsageError, match="cannot be started"):
        run("./broken")


def alive(marker):
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if marker in line]


def test_one_that_hangs_is_killed_with_its_whole_group(run):
    done = run("sh", "-c", "sleep 731.5 & sleep 731.5; wait", seconds=0.3)
    assert done.late and "process group" in done.failure
    assert not alive("sleep 731.5")


def test_one_that_ignores_sigterm_is_killed(run):
    done = run("sh", "-c", "trap '' TERM; while :; do sleep 732.5; done", seconds=0.3)
    assert done.late and done.status == -9
    assert not alive("sleep 732.5")


def test_what_a_program_leaves_behind_in_a_session_of_its_own_is_ended(run):
    done = run("sh", "-c", "setsid sleep 733.5 & sleep 0.3; exit 0")
    deadline = time.monotonic() + 5
    while alive("sleep 733.5") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert done.left >= 1 and not alive("sleep 733.5")


def test_a_program_ends_when_the_run_does(tmp_path):
    code = (
        "import os, sys, threading\nfrom pathlib import Path\n"
        "from perfproof.bench.programs.program import Program, Spawner\n"
        "s = Spawner()\nthreading.Timer(1.0, lambda: os.kill(os.getpid(), 9)).start()\n"
        "s.run(Program('a', ('sleep', '734.5'), Path('/')), 'a', 600)"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)})
    deadline = time.monotonic() + 10
    while alive("sleep 734.5") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive("sleep 734.5")


def test_of_a_long_output_the_beginning_and_the_end_are_kept(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(b"begin" + b"x" * 2**20 + b"end\xff")
    text = kept_text(path)
    assert text.startswith("begin") and text.endswith("end�") and "bytes left out" in text and len(text) < 2**19
    assert kept_text(tmp_path / "absent") == ""
