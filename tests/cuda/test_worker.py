"""The loader inside a worker: it comes after the guard was made, and must not look like a pair that meddles."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
import perfproof.worker.target
from perfproof.worker.load import Source
from perfproof.worker.verify import watch
from perfproof.worker.verify.guard import Guard
guard, switches, tasks = Guard(), watch.flags(), watch.tasks()
assert "perfproof.cuda" not in sys.modules
pair = Source(sys.argv[1]).load("baseline")
assert pair.kernels.copy_coalesced.resources.registers > 0
print(guard.look(), watch.switched(switches), watch.tasks() - tasks)
"""


def test_compiling_in_a_worker_replaces_switches_and_starts_nothing(
    warm_python,
):
    pair = ROOT / "chapters" / "ch07_memory_access" / "coalesced_copy.py"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(pair)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[] [] 0\n"
