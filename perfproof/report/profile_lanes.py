"""From the table of events to the lanes of one step: which step, which streams and threads, what is drawn of them."""

from collections.abc import Iterable

from perfproof.core.events import ABSENT, DEVICE_WORK, Events, Kind
from perfproof.profile.breakdown import devices, is_communication, work
from perfproof.profile.device_steps import steps_of
from perfproof.profile.host_names import is_wait
from perfproof.profile.intervals import Interval, total, union
from perfproof.profile.plans import STEADY
from perfproof.profile.step_gaps import caused_gaps
from perfproof.profile.steps import is_step
from perfproof.report.figures.step_timeline import Block, Lane, Pause

MOST_STREAMS, MOST_THREADS, MOST_ROWS = 6, 4, 3
HOST = (Kind.RANGE, Kind.OPERATOR, Kind.RUNTIME)
SECOND = 1e9


def chosen_window(events: Events) -> tuple[Interval, str] | None:
    """The steady step of middle length and what it is; all of the recording where no steps are marked."""
    found = steps_of(events)
    if found.steady:
        step = sorted(found.steady, key=lambda one: one.end_ns - one.start_ns)[(len(found.steady) - 1) // 2]
        place = found.steps.index(step) + 1
        called = f" (number {step.number})" if step.number not in (ABSENT, place) else ""
        what = f"step {place} of {found.found}{called}, the steady one of middle length; {found.source}"
        return (step.start_ns, step.end_ns), what
    rows = events.where(*DEVICE_WORK) or events.where(*HOST, Kind.PYTHON)
    if not rows:
        return None
    window = min(events.start_ns[row] for row in rows), max(events.end_ns[row] for row in rows)
    return (window, "all of the recording (no range marks its steps)") if window[1] > window[0] else None


def lanes_of(events: Events, window: Interval) -> list[Lane]:
    """The streams of every device, then the busiest threads; times count from the beginning of the window."""
    found: list[Lane] = []
    for rank, device in devices(events):
        found += _device_lanes(events, rank, device, window)
    return found + _host_lanes(events, window)


def _device_lanes(events: Events, rank: int, device: int, window: Interval) -> list[Lane]:
    """The stream with most kernels also carries the idle time, which is that of the whole device."""
    streams: dict[int, list[int]] = {}
    for row in _within(events, work(events, rank, device), window):
        streams.setdefault(events.stream[row], []).append(row)
    busiest = sorted(streams, key=lambda stream: -_busy(events, streams[stream]))[:MOST_STREAMS]
    name = f"GPU {device}" if rank == ABSENT else f"rank {rank}, GPU {device}"
    lanes = []
    for stream in sorted(busiest, key=lambda one: (one != busiest[0], one)):
        label = f"{name}, stream {stream}" if stream != ABSENT else name
        blocks = [_block(events, row, _device_kind(events, row), window) for row in streams[stream]]
        pauses = []
        if stream == busiest[0]:
            pauses = [
                Pause(_second(one.start_ns, window), _second(one.end_ns, window), one.cause)
                for one in caused_gaps(events, rank, device, window)
            ]
        lanes.append(Lane(label, blocks, pauses))
    return lanes


def _host_lanes(events: Events, window: Interval) -> list[Lane]:
    rows = [row for row in events.where(*HOST) if not _is_step(events, row)]
    threads: dict[tuple[int, int, int], list[int]] = {}
    for row in _within(events, rows or events.where(Kind.PYTHON), window):
        threads.setdefault((events.rank[row], events.process[row], events.thread[row]), []).append(row)
    busiest = sorted(threads, key=lambda thread: -_busy(events, threads[thread]))[:MOST_THREADS]
    lanes = []
    for rank, process, thread in busiest:
        label = "host" if thread == ABSENT else f"host, thread {thread}"
        nested = _nested(events, threads[rank, process, thread], window)
        lanes.append(Lane(label if rank == ABSENT else f"rank {rank}, {label}", nested))
    return lanes


def _nested(events: Events, rows: Iterable[int], window: Interval) -> list[Block]:
    """Inner rows below outer ones; those too deep are left to the flame graph."""
    ends: list[int] = []
    blocks = []
    for row in sorted(rows, key=lambda row: (events.start_ns[row], -events.end_ns[row])):
        while ends and ends[-1] <= events.start_ns[row]:
            ends.pop()
        if len(ends) < MOST_ROWS:
            blocks.append(_block(events, row, _host_kind(events, row), window, len(ends)))
        ends.append(events.end_ns[row])
    return blocks


def _block(events: Events, row: int, kind: str, window: Interval, depth: int = 0) -> Block:
    start, end = (_second(time, window) for time in (events.start_ns[row], events.end_ns[row]))
    return Block(start, end, kind, events.name(row), depth)


def _device_kind(events: Events, row: int) -> str:
    if events.kind[row] != Kind.KERNEL:
        return "copy"
    return "communication" if is_communication(events.name(row)) else "compute"


def _host_kind(events: Events, row: int) -> str:
    if events.kind[row] == Kind.RUNTIME:
        return "wait" if is_wait(events.name(row)) else "call"
    return "range" if events.kind[row] == Kind.RANGE else "operator"


def _is_step(events: Events, row: int) -> bool:
    """Or our own range around all steps of a pair: neither tells anything inside a step."""
    name = events.name(row)
    return events.kind[row] == Kind.RANGE and (is_step(name) or name == STEADY)


def _within(events: Events, rows: Iterable[int], window: Interval) -> list[int]:
    return [row for row in rows if events.start_ns[row] < window[1] and events.end_ns[row] > window[0]]


def _busy(events: Events, rows: Iterable[int]) -> int:
    return total(union((events.start_ns[row], events.end_ns[row]) for row in rows))


def _second(time_ns: int, window: Interval) -> float:
    return (time_ns - window[0]) / SECOND
