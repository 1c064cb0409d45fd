"""kill -9 at any moment leaves a document that parses and holds every target that had been reported finished."""

import os
import random
import signal
import subprocess
import sys
import time

from perfproof.history.folders import list_runs, load_run

KILLS = 50
FORKS = """
import os, sys
from perfproof.core.documents import Run, TargetResult
from perfproof.history.folders import open_run

def say(line):  # at one go: whoever is killed inside print() may leave half a line, and the next word is glued to it
    os.write(1, f"{line}\\n".encode())

def save_for_ever(where):
    folder = open_run(where, "kill")
    run = Run(perfproof_version="0.1.0", run=folder.name, started="2025-01-01T00:00:00Z")
    folder.save(run)
    say(f"pid {os.getpid()}")
    for number in range(10**9):
        result = TargetResult(target=f"t{number}", status="ok", output_tail="x" * 20_000)
        result.samples = folder.add_samples(result.target, [{"seconds": 1.0}] * 50)
        run.targets.append(result)
        folder.save(run)
        say(number)

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        save_for_ever(line.strip())
    os.waitpid(child, 0)
    say("gone")
"""


def test_a_killed_run_has_lost_nothing_that_was_finished(tmp_path):
    chance = random.Random(7)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", FORKS], **pipes) as process:
        for kill in range(KILLS):
            killed_run_is_whole(process, tmp_path / str(kill), chance)
        process.stdin.close()


def killed_run_is_whole(process, folder, chance):
    print(folder, file=process.stdin, flush=True)
    child = int(process.stdout.readline().removeprefix("pid "))
    reported = [process.stdout.readline() for _ in range(chance.randrange(6))]
    time.sleep(chance.uniform(0, 0.01))  # somewhere between two saves, or in one
    os.kill(child, signal.SIGKILL)
    reported += iter(process.stdout.readline, "gone\n")
    (path,) = list_runs(folder)
    run = load_run(path)
    assert {f"t{int(number)}" for number in reported} <= {target.target for target in run.targets}
    assert run.state == "running"
    for target in run.targets:
        assert (path / target.samples).is_file(), "a document never names a file that is not there"
