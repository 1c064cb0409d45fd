"""How long were copies and kernels active together? Read from a trace of each pair that uses several streams.

    python benchmarks/overlap_gpu.py                     a table: each side of each pair, five calls
    python benchmarks/overlap_gpu.py --calls 20 --only kv_streams

A ratio alone does not prove overlap. Per call: the time in which at least one copy between host and device was active,
the same for kernels, the time in which both were, in which copies went both ways, and the time in which two kernels or
more ran side by side. The profiler slows the host down; the device's own records are not moved by that, but gaps
between them may be longer than in a timed run.
"""

import argparse
import importlib.util
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from heading import heading

from perfproof.core.events import Events, Kind
from perfproof.core.units import seconds
from perfproof.profile.intervals import Interval, intersection, union
from perfproof.profile.readers import kineto

CHAPTERS = Path(__file__).parents[1] / "chapters"
PAIRS = (
    "ch02_hardware/transfer_overlap",
    "ch11_streams/concurrent_kernels",
    "ch11_streams/kv_streams",
    "ch11_streams/stream_overlap",
)
WARM = 3  # calls before the trace
TITLES = ("pair", "side", "copies", "kernels", "copies and kernels", "copies both ways", "kernels side by side")


@dataclass(frozen=True)
class Overlap:
    """Nanoseconds."""

    copies: int
    kernels: int
    both: int
    both_ways: int
    kernels_together: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=5, help="calls in each trace")
    parser.add_argument("--only", action="append", metavar="NAME", help="a pair by its name (repeatable)")
    options = parser.parse_args()
    import torch

    if not torch.cuda.is_available():
        print("no GPU that torch can use: nothing was traced", file=sys.stderr)
        return 3
    chosen = [pair for pair in PAIRS if not options.only or Path(pair).name in options.only]
    print("\n".join([*heading("cuda:0"), "", line(TITLES), line(["---"] * 2 + ["---:"] * 5)]))
    for pair in chosen:
        for side in sides(load(pair)):
            found = overlap(trace(torch, load(pair), side, options.calls))
            print(line([Path(pair).name, side, *figures(found, options.calls)]), flush=True)
    return 0


def load(pair: str) -> ModuleType:
    path = CHAPTERS / f"{pair}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sides(module: ModuleType) -> list[str]:
    return ["baseline", *(name for name in vars(module) if name.startswith("optimized"))]


def trace(torch: Any, module: ModuleType, side: str, calls: int) -> Events:
    """The device's records of some calls, after others that were not traced."""
    with torch.device("cuda"):
        arguments = module.inputs(**module.workload)
    prepare = getattr(module, f"prepare_{side}", None)
    state = [prepare(*arguments)] if prepare else []
    for _ in range(WARM):
        getattr(module, side)(*state, *arguments)
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        for _ in range(calls):
            getattr(module, side)(*state, *arguments)
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        return kineto.read(path)


def overlap(events: Events) -> Overlap:
    there, back = (host_copies(events, way) for way in ("htod", "dtoh"))
    kernels = [(events.start_ns[row], events.end_ns[row]) for row in events.where(Kind.KERNEL)]
    copies, covered = union([*there, *back]), union(kernels)
    return Overlap(
        copies=length(copies),
        kernels=length(covered),
        both=length(intersection(copies, covered)),
        both_ways=length(intersection(union(there), union(back))),
        kernels_together=length(at_least_two(kernels)),
    )


def host_copies(events: Events, way: str) -> list[Interval]:
    """Copies in one direction: `Memcpy HtoD (Pinned -> Device)` is what the profiler calls one."""
    rows = (row for row in events.where(Kind.COPY) if way in events.name(row).lower())
    return [(events.start_ns[row], events.end_ns[row]) for row in rows]


def at_least_two(intervals: list[Interval]) -> list[Interval]:
    """What two of them or more cover: each one's part that lies before the latest end of those that began earlier."""
    covered, latest = [], None
    for start, end in sorted(intervals):
        if latest is not None and start < latest:
            covered.append((start, min(end, latest)))
        latest = end if latest is None else max(end, latest)
    return union(covered)


def length(intervals: list[Interval]) -> int:
    return sum(end - start for start, end in intervals)


def figures(found: Overlap, calls: int) -> list[str]:
    spans = (found.copies, found.kernels, found.both, found.both_ways, found.kernels_together)
    return [seconds(span / calls / 1e9) for span in spans]


def line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
