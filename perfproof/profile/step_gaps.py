"""Why a device computed nothing for a while, from what the host was doing then: one cause for each gap.

A gap is a time without a running kernel. The rules, in this order: `copy`, a copy or fill ran in it; `input`, the host
was in its input pipeline for half of it; `sync`, the host waited for the device when it began and launched only then;
`launch`, the next kernel was queued and began at once, or the host was busy launching it; `host`, it was launched after
the gap had begun; `other`, queued in time yet late: it waited for an event or another stream; `unknown`, no launch of
it is in the file.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Literal

from perfproof.core.events import Events, Kind
from perfproof.profile.breakdown import KERNEL_WAIT_NS, work
from perfproof.profile.host_names import is_input, is_wait
from perfproof.profile.intervals import Interval, clip, difference, gaps, intersection, total, union
from perfproof.profile.launches import launch_of_work

Cause = Literal["copy", "input", "sync", "launch", "host", "other", "unknown"]
WAITING_KINDS = (Kind.RUNTIME, Kind.SYNC, Kind.OPERATOR)
HALF = 0.5


@dataclass(frozen=True)
class CausedGap:
    start_ns: int
    end_ns: int
    cause: Cause


def caused_gaps(events: Events, rank: int, device: int, window: Interval) -> list[CausedGap]:
    """Every gap of the device's kernels within the window, by time."""
    rows = work(events, rank, device)
    kernels = [row for row in rows if events.kind[row] == Kind.KERNEL]
    moving = union((events.start_ns[row], events.end_ns[row]) for row in rows if events.kind[row] != Kind.KERNEL)
    computing = union((events.start_ns[row], events.end_ns[row]) for row in kernels)
    judge = _Judge(events, rank, kernels)
    found: list[CausedGap] = []
    for gap in gaps(computing, window):
        found += [CausedGap(start, end, "copy") for start, end in intersection(clip(moving, gap), [gap])]
        found += [CausedGap(start, end, judge.cause((start, end))) for start, end in difference([gap], moving)]
    return sorted(found, key=lambda one: one.start_ns)


class _Judge:
    """What the host did, kept so that a gap is judged without a walk over all rows."""

    def __init__(self, events: Events, rank: int, kernels: list[int]) -> None:
        self.events, self.kernels = events, kernels
        self.starts = [events.start_ns[row] for row in kernels]
        self.launched = launch_of_work(events, kernels)
        feeding = {place for place, name in enumerate(events.names) if is_input(name)}
        waiting = {place for place, name in enumerate(events.names) if is_wait(name)}
        host = [row for row in events.where(Kind.RANGE, Kind.PYTHON, *WAITING_KINDS) if events.rank[row] == rank]
        self.input = self._covered([row for row in host if events.name_id[row] in feeding])
        self.waits = self._covered(
            [row for row in host if events.name_id[row] in waiting and events.kind[row] in WAITING_KINDS]
        )
        self.wait_starts = [start for start, _ in self.waits]

    def cause(self, gap: Interval) -> Cause:
        start, end = gap
        if total(clip(self.input, gap)) >= HALF * (end - start):
            return "input"
        place = bisect_left(self.starts, end)
        launch = self.launched.get(self.kernels[place]) if place < len(self.kernels) else None
        if launch is None:
            return "sync" if place == len(self.kernels) and self._waited(start) else "unknown"
        called, returned = self.events.start_ns[launch], self.events.end_ns[launch]
        if called > start:
            busy = returned - called >= HALF * (end - start) or end - start < KERNEL_WAIT_NS
            return "sync" if self._waited(start) else "launch" if busy else "host"
        return "launch" if end - start < KERNEL_WAIT_NS else "other"

    def _waited(self, time_ns: int) -> bool:
        """Whether the host was in a call that waits for the device when the gap began."""
        place = bisect_right(self.wait_starts, time_ns) - 1
        return place >= 0 and self.waits[place][1] >= time_ns

    def _covered(self, rows: list[int]) -> list[Interval]:
        return union((self.events.start_ns[row], self.events.end_ns[row]) for row in rows)
