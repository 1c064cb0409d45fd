"""From the host's calls to the device's work: which call launched what, how long it took to begin, what was queued.

A call and its work carry the same correlation. One call may launch much work (a CUDA graph): it is one launch, and the
first of its work says when it began.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from perfproof.core.events import ABSENT, Events, Kind


@dataclass(frozen=True)
class Launch:
    """A call, the first of its work, and the time between: negative where work began before the call returned."""

    call: int
    work: int
    call_ns: int
    delay_ns: int


@dataclass(frozen=True)
class QueueDepth:
    """How many launches a stream held that had not begun, from each time to the next."""

    stream: int
    times_ns: list[int]
    depths: list[int]

    @property
    def deepest(self) -> int:
        return max(self.depths, default=0)

    def mean(self) -> float | None:
        """Over time; unknown where there is no time to speak of."""
        length = self.times_ns[-1] - self.times_ns[0] if self.times_ns else 0
        steps = zip(self.depths, self.times_ns, self.times_ns[1:], strict=False)
        return sum(depth * (after - before) for depth, before, after in steps) / length if length else None


def launch_of_work(events: Events, rows: Iterable[int]) -> dict[int, int]:
    """The row of the launching call for each row of work that has one in the table."""
    rows = [row for row in rows if events.correlation[row] > 0]
    told = any(events.process[row] != ABSENT for row in rows)  # correlations count in every process from 1

    def key(row: int) -> tuple[int, int, int]:
        return events.rank[row], events.process[row] if told else ABSENT, events.correlation[row]

    wanted = {key(row) for row in rows}
    calls: dict[tuple[int, int, int], int] = {}
    for call in events.where(Kind.RUNTIME):
        if events.correlation[call] > 0 and (place := key(call)) in wanted:
            calls.setdefault(place, call)
    return {row: calls[key(row)] for row in rows if key(row) in calls}


def launches(events: Events, rows: Iterable[int]) -> list[Launch]:
    """Each call that launched some of these rows, by time of the call."""
    first: dict[int, int] = {}
    for row, call in launch_of_work(events, rows).items():
        if call not in first or events.start_ns[row] < events.start_ns[first[call]]:
            first[call] = row
    found = [
        Launch(call, row, events.end_ns[call] - events.start_ns[call], events.start_ns[row] - events.end_ns[call])
        for call, row in first.items()
    ]
    return sorted(found, key=lambda launch: events.start_ns[launch.call])


def queue_depths(events: Events, rows: Iterable[int]) -> list[QueueDepth]:
    """One for each stream: a launch counts from the start of its call to the start of its work."""
    changes: dict[int, list[tuple[int, int]]] = {}
    for launch in launches(events, rows):
        stream = changes.setdefault(events.stream[launch.work], [])
        stream += [(events.start_ns[launch.call], -1), (events.start_ns[launch.work], 1)]
    return [_depth(stream, sorted(steps)) for stream, steps in sorted(changes.items())]


def _depth(stream: int, steps: list[tuple[int, int]]) -> QueueDepth:
    """Steps are sorted by time, and calls (-1) come before starts (1) of the same moment."""
    times: list[int] = []
    depths: list[int] = []
    depth = 0
    for time, step in steps:
        depth -= step
        if times and times[-1] == time:
            depths[-1] = depth
        else:
            times.append(time)
            depths.append(depth)
    return QueueDepth(stream, times, depths)
