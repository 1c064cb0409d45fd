"""The times in which a device had nothing to do, each with its cause.

input      the host waited for the next batch meanwhile
allocation the host was inside calls that get or release memory of the system
sync       the host was in a synchronising call when the device ran dry, and only then went on to launch
copy call  the host was inside a copying call
launch     the host was late by less than LATE_NS, or inside the launching call: it launches, but not fast enough
host       the host was late by more: it did something else
between    launched in time; what lies between any two kernels
waiting    launched in time, yet late: for an event or another stream
unknown    the trace does not hold the launch
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from perfproof.core.events import ABSENT, Kind
from perfproof.diagnose import host
from perfproof.diagnose.traces import Trace
from perfproof.profile import breakdown
from perfproof.profile.breakdown import idle, work
from perfproof.profile.host_names import COPY_CALL, SYNC_CALL
from perfproof.profile.intervals import Interval, gaps, intersection, total, union
from perfproof.profile.launches import launch_of_work

LATE_NS = 100_000
SLACK_NS = 5_000  # between the device's clock and the host's

Cause = Literal["input", "allocation", "sync", "copy call", "launch", "host", "between", "waiting", "unknown"]
FROM_BREAKDOWN: dict[str, Cause] = {"kernel_wait": "between", "other": "waiting", "unknown": "unknown"}


@dataclass(frozen=True)
class Gap:
    start_ns: int
    end_ns: int
    cause: Cause

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns


@lru_cache(maxsize=32)  # several rules ask for the same
def idle_gaps(trace: Trace, device: int) -> tuple[Gap, ...]:
    """All of the steady time in which the device did nothing, by time; edges without work on a side are unknown."""
    known = _caused(trace, device)
    busy = union((trace.events.start_ns[row], trace.events.end_ns[row]) for row in _work(trace, device))
    inside = union((gap.start_ns, gap.end_ns) for gap in known)
    free = [part for span in trace.window for part in gaps(union([*busy, *inside]), span)]
    edges = [Gap(start, end, "unknown") for start, end in free]
    return tuple(sorted([*known, *edges], key=lambda gap: gap.start_ns))


def by_cause(found: Iterable[Gap]) -> dict[Cause, int]:
    """Nanoseconds of each."""
    sums: Counter[Cause] = Counter()
    for gap in found:
        sums[gap.cause] += gap.length_ns
    return dict(sums)


def _caused(trace: Trace, device: int) -> list[Gap]:
    events = trace.events
    calls = events.where(Kind.RUNTIME)  # of the whole table: one that began before the steady time counts as well
    waits = trace.covered(host.input_waits(trace))
    allocating = trace.covered(host.named(events, host.ALLOCATING_CALL, calls))
    copies = trace.covered(host.named(events, COPY_CALL, calls))
    syncs = union((events.start_ns[row], events.end_ns[row] + SLACK_NS) for row in host.named(events, SYNC_CALL, calls))
    found = idle(events, _rank(trace), device)
    launched = launch_of_work(events, [gap.after for gap in found])
    caused = []
    for gap in found:
        call = launched.get(gap.after)
        launching = None if call is None else (events.start_ns[call], events.end_ns[call])
        for span in intersection([(gap.start_ns, gap.end_ns)], trace.window):
            if _mostly(span, waits):
                cause: Cause = "input"
            elif _mostly(span, allocating):
                cause = "allocation"
            elif _inside(span[0], syncs):
                cause = "sync"
            elif _mostly(span, copies):
                cause = "copy call"
            else:
                cause = _from_launch(gap, launching)
            caused.append(Gap(*span, cause))
    return caused


def _from_launch(gap: breakdown.Gap, launching: Interval | None) -> Cause:
    """`launching`: the call that started the work after the gap. Was it over before the device ran dry?"""
    if launching is None or launching[1] <= gap.start_ns:
        return FROM_BREAKDOWN[gap.cause]
    soon = gap.end_ns - gap.start_ns < LATE_NS
    return "launch" if soon or _mostly((gap.start_ns, gap.end_ns), [launching]) else "host"


def _mostly(span: Interval, covered: list[Interval]) -> bool:
    first = max(0, bisect_right(covered, (span[0], span[0])) - 1)
    near = []
    for start, end in covered[first:]:
        if start >= span[1]:
            break
        near.append((start, end))
    return 2 * total(intersection([span], near)) >= span[1] - span[0]


def _inside(moment: int, covered: list[Interval]) -> bool:
    place = bisect_right(covered, (moment, moment)) - 1
    return any(start <= moment <= end for start, end in covered[max(0, place) : place + 2])


def _work(trace: Trace, device: int) -> list[int]:
    return work(trace.events, _rank(trace), device)


def _rank(trace: Trace) -> int:
    return trace.events.rank[0] if len(trace.events) else ABSENT
