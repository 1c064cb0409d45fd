"""Steady calls of one side of a pair, for a profiler: loaded and warmed up as in a run, then called inside the range.

    python -m perfproof.bench.forms.profiled_calls settings.json

The settings are those of a job, with the side, how many calls, and where to write what was learnt: seconds a call
before and while the profiler was on.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from perfproof.profile.children.capture import Step, capture
from perfproof.profile.compile_log import WARM_MARK
from perfproof.worker.measure.device_clocks import wait_for
from perfproof.worker.target import Target
from perfproof.worker.verify.guard import Guard

LONGEST_SECONDS = 0.5  # of steady calls where no number is asked for
MOST_CALLS = 20
TO_OPEN = ("spec", "cpus", "threads", "scratch")
TO_WARM = ("sizes", "seed", "clock", "sample_seconds")


def main(path: Path) -> None:
    asked = json.loads(path.read_text())
    target = Target(Guard())
    target.open(sides=[asked["side"]], **{key: asked[key] for key in TO_OPEN})
    ready = target.ready(**{key: asked[key] for key in TO_WARM})
    before = ready["call_seconds"][asked["side"]]
    calls = asked["calls"] or max(1, min(MOST_CALLS, round(LONGEST_SECONDS / before)))
    rounds = max(1, round((asked["seconds"] or 0.0) / (before * calls)))
    side, device = target.pair.sides[asked["side"]], asked["spec"]["device"]
    arguments = _arguments(target, side, calls)
    print(WARM_MARK, file=sys.stderr, flush=True)  # what is compiled from here on comes too late
    with capture() as step:
        started = time.perf_counter()
        perfproof_steady(side.function, arguments, device, step)
        for _ in range(rounds - 1):  # for samplers alone, which keep only what is under that name
            perfproof_steady(side.function, _arguments(target, side, calls), device, step)
        taken = time.perf_counter() - started
    found = {"calls": calls * rounds, "call_seconds": before, "profiled_call_seconds": taken / (calls * rounds)}
    path.with_suffix(".answer.json").write_text(json.dumps(found))


def perfproof_steady(function: Any, arguments: list[tuple], device: str, step: Step) -> None:
    """Samplers keep what is under this name."""
    for row in arguments:
        with step():
            function(*row)
    wait_for(device)


def _arguments(target: Target, side: Any, calls: int) -> list[tuple]:
    """The few sets of the warm-up in turn; copies of them where the pair changes its arguments."""
    return [(*side.state, *arguments) for arguments in target.sampler.pool.take_warm(calls)]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
