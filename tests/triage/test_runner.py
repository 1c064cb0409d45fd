"""A program runs to its end or its deadline, and nothing of it is left behind."""

import os
import sys
import time

import psutil
import pytest

from perfproof.core.errors import UsageError
from perfproof.triage.runner import Runner

LIMIT = 1 << 20
ORPHAN = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
open(sys.argv[1], "w").write(str(child.pid))
"""


@pytest.fixture
def run():
    with Runner() as runner:
        yield lambda *arguments, seconds=120.0, **options: runner.run(arguments, seconds, LIMIT, **options)


def gone(pid):
    """Ended, or at least ending: a killed process may be seen for a moment."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_both_outputs_and_the_exit_code_are_told(run):
    ran = run(sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)")
    assert (ran.out, ran.err, ran.code, ran.late, ran.refused) == (b"out\n", b"err\n", 7, False, "")
    assert ran.last_line == "err"
    assert ran.end_ns > ran.start_ns and ran.cpu_seconds >= 0


def test_no_shell_reads_the_arguments(run):
    assert run(sys.executable, "-c", "import sys; print(sys.argv[1])", "$HOME; ls *").out == b"$HOME; ls *\n"


def test_variables_are_added_to_our_own(run):
    ran = run(sys.executable, "-c", "import os; print(os.environ['X'], 'PATH' in os.environ)", variables={"X": "1"})
    assert ran.out == b"1 True\n"


def test_a_program_that_hangs_is_ended_with_its_children(run, tmp_path):
    """On a machine under load the program may be ended before it has a child: then it gets more time."""
    pid = tmp_path / "pid"
    for seconds in (0.5, 3.0, 30.0):
        assert run("sh", "-c", "sleep 600 & echo $! > $0.new; mv $0.new $0; sleep 600", str(pid), seconds=seconds).late
        if pid.exists():
            break
    assert gone(int(pid.read_text()))


def test_a_child_that_moved_to_a_session_of_its_own_is_ended_too(run, tmp_path):
    ran = run(sys.executable, "-c", ORPHAN, str(tmp_path / "pid"))
    assert (ran.code, ran.late, ran.left) == (0, False, 1)
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_program_that_is_not_there_is_refused_by_name(run):
    with pytest.raises(UsageError, match="no-such-program"):
        run("no-such-program")


def test_closing_the_runner_leaves_no_process_and_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    earlier = psutil.Process(os.getpid()).children()
    with Runner() as runner:
        spawned = set(psutil.Process(os.getpid()).children()) - set(earlier)
        runner.run([sys.executable, "-c", "pass"], 60.0, LIMIT)
        assert spawned
    assert all(gone(child.pid) for child in spawned)
    assert list(tmp_path.iterdir()) == []
