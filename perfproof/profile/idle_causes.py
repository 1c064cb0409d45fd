"""Why a device had nothing to do, by one set of rules for the pictures and for the diagnosis.

The host's calls are those of the thread that launched the work after the gap: a helper thread that is parked in a wait
holds nothing up. The first that fits:

input      the host waited for the next batch meanwhile, or did other work and then copied data to the device
compile    the host compiled or tuned kernels
allocation the host was inside calls that get or release memory of the system
sync       the host was in a synchronising call when the device ran dry, and only then went on to launch; if it did
           other work of more than AFTER_SYNC_NS in between, the cause is that work
copy call  the host was inside a copying call
launch     the host was late by less than LATE_NS, or inside the launching call: it launches, but not fast enough
host       the host was late by more: it did something else
between    launched in time; what lies between any two kernels
waiting    launched in time, yet late: for an event or another stream
unknown    the trace does not hold the launch
"""

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal

from perfproof.core.events import Events, Kind
from perfproof.profile.breakdown import KERNEL_WAIT_NS, idle, work
from perfproof.profile.host_names import ALLOCATING_CALL, COPY_CALL, SYNC_CALL, is_call, is_compiling
from perfproof.profile.intervals import Interval, intersection, total, union
from perfproof.profile.launches import launch_of_work

LATE_NS = 100_000
AFTER_SYNC_NS = 500_000
BATCH_BYTES = 16_384  # to the device at once: less may be a number
TO_DEVICE = re.compile(r"HtoD|Host-to-Device|HtoA", re.IGNORECASE)
SLACK_NS = 5_000  # between the device's clock and the host's

Cause = Literal[
    "input", "compile", "allocation", "sync", "copy call", "launch", "host", "between", "waiting", "unknown"
]

Thread = tuple[int, int]  # its process and its own number


@dataclass(frozen=True)
class IdleGap:
    start_ns: int
    end_ns: int
    cause: Cause

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True)
class CallTimes:
    """When one thread was in which calls; each a union of intervals."""

    allocating: list[Interval] = field(default_factory=list)
    syncs: list[Interval] = field(default_factory=list)
    copies: list[Interval] = field(default_factory=list)


@dataclass(frozen=True)
class HostTimes:
    """When the host waited for input, and when each of its threads was in what."""

    input: list[Interval]
    calls: dict[Thread, CallTimes]
    compiling: list[Interval] = field(default_factory=list)


NO_CALLS = CallTimes()


def host_times(events: Events, rank: int, input_rows: list[int]) -> HostTimes:
    """Of the whole table: a call that began before the time that is looked at counts as well."""
    calls = [row for row in events.where(Kind.RUNTIME) if events.rank[row] == rank]
    allocating = _by_thread(events, named(events, ALLOCATING_CALL, calls))
    syncs = _by_thread(events, named(events, SYNC_CALL, calls), SLACK_NS)
    copies = _by_thread(events, named(events, COPY_CALL, calls))
    threads = {*allocating, *syncs, *copies}
    return HostTimes(
        input=union((events.start_ns[row], events.end_ns[row]) for row in input_rows),
        calls={one: CallTimes(allocating.get(one, []), syncs.get(one, []), copies.get(one, [])) for one in threads},
        compiling=union((events.start_ns[row], events.end_ns[row]) for row in compiling_rows(events, rank)),
    )


def compiling_rows(events: Events, rank: int) -> list[int]:
    """Ranges in which code was compiled or kernels were tuned."""
    names = {place for place, name in enumerate(events.names) if is_compiling(name)}
    rows = events.where(Kind.RANGE, Kind.OPERATOR) if names else []
    return [row for row in rows if events.rank[row] == rank and events.name_id[row] in names]


def thread_of(events: Events, row: int) -> Thread:
    return events.process[row], events.thread[row]


def named(events: Events, pattern: re.Pattern[str], rows: list[int]) -> list[int]:
    """The rows whose whole name fits; every name is looked at once."""
    fitting = {place for place, name in enumerate(events.names) if is_call(pattern, name)}
    return [row for row in rows if events.name_id[row] in fitting]


def caused_idle(events: Events, rank: int, device: int, window: list[Interval], host: HostTimes) -> list[IdleGap]:
    """What lies in the window of the gaps between two pieces of work of the device, copies among them, by time."""
    found = idle(events, rank, device)
    launched = launch_of_work(events, [gap.after for gap in found])
    fed = _fed(events, work(events, rank, device), {gap.after for gap in found})
    caused = []
    for gap in found:
        call = launched.get(gap.after)
        launching = None if call is None else (events.start_ns[call], events.end_ns[call])
        calls = NO_CALLS if call is None else host.calls.get(thread_of(events, call), NO_CALLS)
        for part in intersection([(gap.start_ns, gap.end_ns)], window):
            cause: Cause = "input"
            if _mostly(part, host.compiling):
                cause = "compile"
            elif not _mostly(part, host.input):
                cause = _cause(part, (gap.start_ns, gap.end_ns), launching, calls)
                cause = "input" if cause == "host" and gap.after in fed else cause
            caused.append(IdleGap(*part, cause))
    return caused


def _fed(events: Events, rows: list[int], wanted: set[int]) -> set[int]:
    """Which of the wanted rows begin a batch's way to the device: copies up to the next kernel, with enough bytes."""
    found: set[int] = set()
    moved, unsized = 0, False
    for row in reversed(rows):
        if events.kind[row] == Kind.COPY and TO_DEVICE.search(events.name(row)):
            moved += max(0, events.bytes[row])
            unsized |= events.bytes[row] < 0
            if row in wanted and (unsized or moved >= BATCH_BYTES):
                found.add(row)
        elif events.kind[row] == Kind.KERNEL:
            moved, unsized = 0, False
    return found


def _cause(part: Interval, gap: Interval, launching: Interval | None, calls: CallTimes) -> Cause:
    """`launching`: the call that started the work after the gap; `calls`: those of its thread."""
    if _mostly(part, calls.allocating):
        return "allocation"
    queued = launching is not None and launching[1] <= gap[0]  # a wait for what is queued holds nothing up
    if _inside(part[0], calls.syncs) and not queued:
        other = gap[1] - gap[0] - total(intersection([gap], calls.syncs))
        return "host" if launching is not None and other > AFTER_SYNC_NS else "sync"
    if _mostly(part, calls.copies):
        return "copy call"
    return _from_launch(gap, launching)


def _from_launch(gap: Interval, launching: Interval | None) -> Cause:
    """Was the call over before the device ran dry?"""
    length = gap[1] - gap[0]
    if launching is not None and launching[1] > gap[0]:
        return "launch" if length < LATE_NS or _mostly(gap, [launching]) else "host"
    if length < KERNEL_WAIT_NS:
        return "between"
    return "unknown" if launching is None else "waiting"


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


def _by_thread(events: Events, rows: list[int], slack_ns: int = 0) -> dict[Thread, list[Interval]]:
    spans: dict[Thread, list[Interval]] = defaultdict(list)
    for row in rows:
        spans[thread_of(events, row)].append((events.start_ns[row], events.end_ns[row] + slack_ns))
    return {thread: union(own) for thread, own in spans.items()}
