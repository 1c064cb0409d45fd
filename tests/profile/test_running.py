"""A profiler is run with a deadline, and whatever it started has ended when we go on."""

import os
import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from perfproof.profile import running
from perfproof.profile.running import run, written

LONG = 600.0  # seconds that no test waits for


def python(code, folder, seconds=LONG, grace=LONG, **environment):
    return run([sys.executable, "-c", code], folder, "it", seconds, environment, grace)


def gone(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_what_it_prints_and_how_it_ends_is_kept(tmp_path):
    ran = python("import os, sys; print(os.environ['A']); print('oh', file=sys.stderr); sys.exit(3)", tmp_path, A="1")
    assert (ran.exit_code, ran.out, ran.err, ran.late, ran.left) == (3, "1\n", "oh\n", False, 0)
    assert (tmp_path / "it.stdout").read_text() == "1\n"
    assert ran.last_line == "oh"


def test_a_program_that_cannot_be_started_says_why(tmp_path):
    assert run([str(tmp_path / "none")], tmp_path, "it", 1.0).why == "none cannot be started: No such file or directory"


LISTENING = """
import time
try:
    open("ready", "w").close()
    time.sleep(600)
except KeyboardInterrupt:
    print("written", flush=True)
"""


def late_run(program, folder, started, grace):
    """Run it to its deadline, with a longer one while the machine is too loaded to start it within."""
    seconds = 0.5
    while not (folder / started).exists():
        assert seconds < LONG
        ran = run([sys.executable, "-c", program], folder, "it", seconds, {}, grace)
        seconds *= 2
    assert ran.late and ran.exit_code is None
    return ran


def test_at_the_deadline_it_is_asked_to_end_and_may_write_what_it_has(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = late_run(LISTENING, tmp_path, "ready", LONG)
    assert ran.out == "written\n" or "KeyboardInterrupt" in ran.err  # asked between the file and the sleep


STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
open("pids", "w").write(f"{os.getpid()} {child.pid}")
os.rename("pids", "started")
time.sleep(600)
"""


def test_one_that_does_not_listen_is_killed_with_what_left_its_group(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    late_run(STUBBORN, tmp_path, "started", 0.1)
    assert all(gone(int(pid)) for pid in (tmp_path / "started").read_text().split())


def test_a_daemon_that_outlives_the_command_is_ended_and_counted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        "open('pid', 'w').write(str(child.pid))"
    )
    ran = python(code, tmp_path)
    assert (ran.exit_code, ran.left) == (0, 1)
    assert gone(int((tmp_path / "pid").read_text()))


def test_others_are_left_alone(tmp_path):
    beside = psutil.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        assert python("pass", tmp_path).left == 0
        assert beside.is_running() and os.getpid()
    finally:
        beside.kill()
        beside.wait()


def test_an_interrupt_of_ours_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def interrupted(process, seconds, too_large, complete):
        while not (tmp_path / "started").exists():
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "_wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run([sys.executable, "-c", STUBBORN], tmp_path, "it", LONG)
    assert all(gone(int(pid)) for pid in (tmp_path / "started").read_text().split())


FLOOD = """
import sys, time
sys.stdout.write("x" * 2_000_000)
sys.stdout.flush()
time.sleep(600)
"""


def test_one_that_writes_too_much_is_ended(tmp_path):
    ran = run([sys.executable, "-c", FLOOD], tmp_path, "it", LONG, {}, 0.1, most_bytes=1_000_000)
    assert ran.large and not ran.late and ran.exit_code is None
    assert written(tmp_path, "it") >= 2_000_000


def test_files_of_another_name_are_another_s(tmp_path):
    (tmp_path / "it-folder").mkdir()
    for name in ("it.a", "it-folder/b", "item.c", "other"):
        (tmp_path / name).write_text("four")
    assert written(tmp_path, "it") == 8


def test_a_recording_that_is_taken_again_is_not_complete(tmp_path, monkeypatch):
    """The file goes while the program has its last seconds: it has all of its time again."""
    complete, clock, looks = tmp_path / "it.window.json", [0.0], []

    def looked(_process, seconds):
        looks.append(clock[0])
        clock[0] += 0.4 * running.AGAIN_SECONDS
        if len(looks) == 2:
            complete.unlink()
        return False

    monkeypatch.setattr(running.child, "waited", looked)
    monkeypatch.setattr(running.time, "monotonic", lambda: clock[0])
    process = SimpleNamespace(poll=lambda: None)
    complete.write_text('{"may_be_taken_again": true}')
    assert running._wait(process, 10 * running.AGAIN_SECONDS, lambda: False, complete) == "late"
    assert clock[0] >= 10 * running.AGAIN_SECONDS


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ('{"recorded": "3 steps", "may_be_taken_again": false}', running.AFTER_SECONDS),
        ('{"recorded": "2.0 s", "may_be_taken_again": true}', running.AGAIN_SECONDS),
        ('{"reco', running.AGAIN_SECONDS),
    ],
)
def test_only_a_recording_that_may_be_taken_again_leaves_the_program_time_for_its_steps(tmp_path, written, seconds):
    complete = tmp_path / "it.window.json"
    complete.write_text(written)
    assert running._left_after(complete) == seconds


def test_when_the_recording_is_complete_a_program_that_goes_on_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("perfproof.profile.running.AFTER_SECONDS", 0.1)
    complete = tmp_path / "it.window.json"
    going_on = f"import time; open({str(complete)!r}, 'w').write('{{}}'); time.sleep(600)"
    ran = run([sys.executable, "-c", going_on], tmp_path, "it", LONG, {}, 0.1, complete=complete)
    assert ran.complete and not ran.late and ran.exit_code is None


def test_one_that_ends_by_itself_after_its_recording_has_its_own_exit_code(tmp_path):
    complete = tmp_path / "it.window.json"
    ending = f"import sys; open({str(complete)!r}, 'w').write('x'); sys.exit(3)"
    ran = run([sys.executable, "-c", ending], tmp_path, "it", LONG, {}, complete=complete)
    assert not ran.complete and ran.exit_code == 3
