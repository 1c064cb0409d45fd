"""kill -9 at any moment leaves a document that parses and holds every target that had been reported finished."""

import random
import signal
import subprocess
import sys
import time

from perfproof.history.folders import list_runs, load_run

KILLS = 50
SAVE_FOR_EVER = """
import sys
from perfproof.core.documents import Run, TargetResult
from perfproof.history.folders import open_run

folder = open_run(sys.argv[1], "kill")
run = Run(perfproof_version="0.1.0", run=folder.name, started="2025-01-01T00:00:00Z")
folder.save(run)
print("ready", flush=True)
for number in range(10**9):
    result = TargetResult(target=f"t{number}", status="ok", output_tail="x" * 20_000)
    result.samples = folder.add_samples(result.target, [{"seconds": 1.0}] * 50)
    run.targets.append(result)
    folder.save(run)
    print(number, flush=True)
"""


def test_a_killed_run_has_lost_nothing_that_was_finished(tmp_path):
    chance = random.Random(7)
    for kill in range(KILLS):
        folder = tmp_path / str(kill)
        process = subprocess.Popen([sys.executable, "-c", SAVE_FOR_EVER, folder], stdout=subprocess.PIPE, text=True)
        reported = [process.stdout.readline() for _ in range(1 + chance.randrange(6))]
        time.sleep(chance.uniform(0, 0.01))  # somewhere between two saves, or in one
        process.send_signal(signal.SIGKILL)
        reported += process.stdout.readlines()
        process.wait()
        process.stdout.close()
        run = load_run(list_runs(folder)[-1])
        finished = [line.strip() for line in reported if line.strip().isdigit() and line.endswith("\n")]
        assert {f"t{number}" for number in finished} <= {target.target for target in run.targets}
        assert run.state == "running"
        for target in run.targets:
            assert (list_runs(folder)[-1] / target.samples).is_file(), "a document never names a file that is not there"
