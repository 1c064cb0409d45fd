"""torch.profiler's `export_memory_timeline`: tensors' bytes over time by what they are for, plain, packed or raw.

`.json` and `.json.gz` hold `[times in µs, bytes per category at each time]`; `.raw.json.gz` a list of changes, each
`[time in ns, action, bytes, category]`, with the time -1 for what was held before. The file does not name its device.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events, Total, whole
from perfproof.profile.opening import read_json

CATEGORIES = (  # in the order of torch.profiler._memory_profiler
    "parameters",
    "optimizer state",
    "inputs",
    "temporary",
    "activations",
    "gradients",
    "autograd details",
    "unknown",
)
ALL = "tensors.allocated_bytes"
NO_STACKS = "a memory timeline has sums, no stacks; record a memory snapshot for who holds them"
Reading = tuple[int, list[int]]  # nanoseconds, bytes per category


def recognises(path: Path, head: bytes) -> bool:
    start = b"".join(head[:200].split())
    return start.startswith(b"[[") and start[2:3] in b"-0123456789" and not set(start[:40]) - set(b"[]-,0123456789")


def read(path: Path) -> Events:
    content = read_json(path)
    readings = _of_sums(content) if _has_sums(content) else _of_changes(content)
    if not readings:
        raise DocumentError(f"{path}: JSON, but no memory timeline of torch: it has no times with bytes per category")
    events = Events("memory timeline")
    for time, sizes in readings:
        events.read(ALL, time, sum(sizes), "B")
        for name, size in zip(CATEGORIES, sizes, strict=True):
            events.read(f"tensors.{name.replace(' ', '_')}_bytes", time, size, "B")
    peak = max(readings, key=lambda one: sum(one[1]))[1]
    events.totals = [Total(("bytes at the peak", name), {"value": float(size)}) for name, size in _named(peak)]
    events.unknown["stacks"] = NO_STACKS
    events.unknown["device"] = "the file does not say whose memory it is"
    if any(later[0] < earlier[0] for earlier, later in pairwise(readings)):
        events.warnings.append("times are not in order: the file was changed or is damaged")
    return events


def _named(sizes: list[int]) -> list[tuple[str, int]]:
    return sorted(((name, size) for name, size in zip(CATEGORIES, sizes, strict=True) if size), key=lambda one: -one[1])


def _has_sums(content: Any) -> bool:
    two = isinstance(content, list) and len(content) == 2 and all(isinstance(part, list) for part in content)
    return two and all(isinstance(part, list) for part in content[1])


def _of_sums(content: list[Any]) -> list[Reading]:
    """The first number of a row is always 0: torch keeps it for its picture."""
    times, rows = content
    if len(times) != len(rows):
        return []
    found = [(whole(time), [whole(size) for size in row[1:]]) for time, row in zip(times, rows, strict=True)]
    right = all(len(sizes) == len(CATEGORIES) and min(time, *sizes) >= 0 and time < 2**52 for time, sizes in found)
    return [(time * 1000, sizes) for time, sizes in found] if right else []


def _of_changes(content: Any) -> list[Reading]:
    """Sums after each change. What was held before counts from the first time."""
    found: list[Reading] = []
    sizes = [0] * len(CATEGORIES)
    for change in content if isinstance(content, list) else []:
        if not isinstance(change, list) or len(change) != 4 or not all(type(part) is int for part in change):
            return []
        time, action, size, category = change
        if not 0 <= category < len(CATEGORIES) or not 1 <= action <= 4 or not -(2**50) < size < 2**50 or time >= 2**62:
            return []
        sizes[category] += size
        found.append((time, list(sizes)))
    first = min((time for time, _ in found if time >= 0), default=0)
    return [(first if time < 0 else time, sizes) for time, sizes in found]
