"""What is said of a program that was timed without another beside it."""

from perfproof.core import units
from perfproof.core.documents import TargetResult, Timing
from perfproof.report.labels import label_of

BASELINE = "baseline"


def timed_alone(target: TargetResult) -> str:
    """`sleep 1 takes 1.01 s, 97 % interval 1.00 s to 1.01 s (20 runs, 1.00 s to 1.02 s); CPU time 1.2 ms, ...`"""
    side = target.variants[BASELINE]
    wall = side.timings["wall"]
    runs = f"{units.count(wall.runs, 'run')}, {units.seconds(wall.least)} to {units.seconds(wall.most)}"
    time = f"{label_of(target, BASELINE)} takes {units.seconds(wall.mean)}{_interval(wall)} ({runs})"
    cpu = side.timings.get("cpu")
    parts = [f"CPU time {units.seconds(cpu.mean)}"] if cpu else []
    parts.append(f"peak memory {units.binary_bytes(side.memory.peak_bytes) if side.memory else 'unknown'}")
    parts += [f"{name} {found.mean:.4g}" for name, found in side.timings.items() if name not in ("wall", "cpu")]
    return f"{time}; {', '.join(parts)}."


def _interval(found: Timing) -> str:
    if found.low is None or found.high is None:
        return ", no interval"
    return f", {100 * found.level:.3g} % interval {units.seconds(found.low)} to {units.seconds(found.high)}"
