"""A file that several real processes change at once: nobody's change is lost, and no lock is left behind."""

import signal
import subprocess
import sys

from perfproof.history.alone import alone

ROUNDS = 200

COUNT = """
import sys
from pathlib import Path
from perfproof.history.alone import alone

file = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()  # so that all begin together
for _ in range(int(sys.argv[2])):
    with alone(file):
        file.write_text(str(int(file.read_text()) + 1))
"""

HOLD = """
import sys, time
from pathlib import Path
from perfproof.history.alone import alone

with alone(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def start(program, *arguments):
    words = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_processes_that_change_a_file_at_once_lose_nothing(tmp_path):
    file = tmp_path / "count"
    file.write_text("0")
    both = [start(COUNT, file, ROUNDS) for _ in range(2)]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in both:
        process.communicate(timeout=120)
        assert process.returncode == 0
    assert file.read_text() == str(2 * ROUNDS) and list(tmp_path.iterdir()) == [file]


def test_the_lock_of_a_killed_process_holds_nobody_up(tmp_path):
    file = tmp_path / "new" / "file"
    holder = start(HOLD, file)
    assert holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGKILL)
    holder.communicate(timeout=60)
    assert holder.returncode == -signal.SIGKILL and list(file.parent.iterdir()) != []
    with alone(file):
        file.write_text("changed")
    assert list(file.parent.iterdir()) == [file]


def test_the_lock_is_given_back_after_a_failure(tmp_path):
    file = tmp_path / "file"
    for _ in range(2):
        try:
            with alone(file):
                raise ValueError("it went wrong")
        except ValueError as error:
            assert str(error) == "it went wrong"
    assert list(tmp_path.iterdir()) == []
