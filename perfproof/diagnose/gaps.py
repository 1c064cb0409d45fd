"""The times in which a device had nothing to do, each with its cause: profile/idle_causes.py says which there are."""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from perfproof.core.events import ABSENT
from perfproof.diagnose import host
from perfproof.diagnose.traces import Trace
from perfproof.profile.breakdown import work
from perfproof.profile.idle_causes import Cause, IdleGap, caused_idle, host_times
from perfproof.profile.intervals import gaps, union


@lru_cache(maxsize=32)  # several rules ask for the same
def idle_gaps(trace: Trace, device: int) -> tuple[IdleGap, ...]:
    """All of the steady time in which the device did nothing, by time; edges without work on a side are unknown."""
    events, rank = trace.events, _rank(trace)
    known = caused_idle(events, rank, device, trace.window, host_times(events, rank, host.input_waits(trace)))
    busy = union((events.start_ns[row], events.end_ns[row]) for row in work(events, rank, device))
    inside = union((gap.start_ns, gap.end_ns) for gap in known)
    free = [part for span in trace.window for part in gaps(union([*busy, *inside]), span)]
    edges = [IdleGap(start, end, "unknown") for start, end in free]
    return tuple(sorted([*known, *edges], key=lambda gap: gap.start_ns))


def by_cause(found: Iterable[IdleGap]) -> dict[Cause, int]:
    """Nanoseconds of each."""
    sums: Counter[Cause] = Counter()
    for gap in found:
        sums[gap.cause] += gap.length_ns
    return dict(sums)


def _rank(trace: Trace) -> int:
    return trace.events.rank[0] if len(trace.events) else ABSENT
