"""What a worker of `perfproof run` answers when it is asked for the kernels of a pair: as JSON, for gpu_profiles.py.

python benchmarks/harness_names.py TARGET DEVICE SECONDS
"""

import json
import os
import secrets
import sys
import tempfile
from pathlib import Path
from typing import Any

from perfproof.bench.forms import profiled_calls
from perfproof.bench.forms.profiled_settings import settings_of
from perfproof.bench.run import make_job
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.pair import Pair
from perfproof.pairs.targets import select
from perfproof.worker.target import Target
from perfproof.worker.verify.guard import Guard

ROOT = Path(__file__).resolve().parent.parent
SIDES = ["baseline", "optimized"]
CALLS = 2


def recorded_kernels(target: str, device: str, seconds: float) -> dict[str, Any]:
    os.chdir(ROOT)
    options = RunOptions(device=device, timeout=seconds)
    pair = select([target])[0]
    assert isinstance(pair, Pair), pair.error
    job = make_job(pair, {}, options, read_facts(device), secrets.token_hex(16), float("inf"))
    with tempfile.TemporaryDirectory(prefix="gpu-profiles-") as scratch:
        asked = settings_of(job, SIDES[0], CALLS, None, Path(scratch))
        worker = Target(Guard())
        worker.open(sides=SIDES, **{key: asked[key] for key in profiled_calls.TO_OPEN})
        warm = {key: asked[key] for key in profiled_calls.TO_WARM}
        worker.ready(**warm)
        found = worker.kernels(calls=dict.fromkeys(SIDES, CALLS))
        os.chdir(ROOT)
    return found


if __name__ == "__main__":
    print(json.dumps(recorded_kernels(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
