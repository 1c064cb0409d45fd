"""Record a step with torch.profiler: some steps to warm up, then a few whose trace is kept.

Fault programs are run as files, `python tests/faults/input_bound.py OUT`, and find this one beside them.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, schedule

WARM_UP = 2
KEPT = 6  # of which a diagnosis drops the first and the last
DEADLINE_SECONDS = 240  # a recording that hangs ends itself, with a status that the caller sees


def recorded(
    step: Callable[[], Any], folder: Path, name: str = "trace.json.gz", tries: int = 1, **options: Any
) -> Path:
    """The trace of KEPT steps, as `name` in the folder.

    Of several tries the fastest counts: where the fault is many short pieces, one moment in which the machine gave the
    processor to others can be longer than all of them.
    """
    tried = [_profiled(step, options) for _ in range(tries)]
    fastest, _ = min(tried, key=lambda one: one[1])
    folder.mkdir(parents=True, exist_ok=True)
    fastest.export_chrome_trace(str(folder / name))
    return folder / name


def _profiled(step: Callable[[], Any], options: dict[str, Any]) -> tuple[profile, float]:
    """The profiler with its trace, and the seconds from the start of the second kept step to that of the last."""
    activities = [ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(ProfilerActivity.CUDA)
    plan = schedule(wait=0, warmup=WARM_UP, active=KEPT, repeat=1)
    starts = []
    with profile(activities=activities, schedule=plan, record_shapes=True, **options) as profiler:
        for _ in range(WARM_UP + KEPT):
            starts.append(time.perf_counter())
            step()
            if torch.cuda.is_available():
                torch.cuda.synchronize()  # a step's work ends within its step
            profiler.step()
    return profiler, starts[-1] - starts[WARM_UP + 1]


def main(record: Callable[[Path], Any]) -> None:
    """The whole program of a fault: record into the folder that the command line names."""
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: python {sys.argv[0]} OUT")
    start(record, Path(sys.argv[1]))


def start(record: Callable[[Path], Any], folder: Path) -> None:
    guard = threading.Timer(DEADLINE_SECONDS, os._exit, (3,))
    guard.daemon = True
    guard.start()
    torch.set_num_threads(1)  # ranks and neighbours share this machine
    torch.manual_seed(0)
    folder.mkdir(parents=True, exist_ok=True)
    record(folder)
    guard.cancel()


def fastest_seconds(step: Callable[[], Any], repeats: int = 20) -> float:
    """What a step takes without a profiler, when nothing else gets in its way."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - began)
    return min(seconds)
