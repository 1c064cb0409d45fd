"""Allocations with the whole stack that asked for them, from the table of a memory snapshot or of a trace.

A snapshot has the stack of each allocation. A trace with `profile_memory` has none: there, what was open on the thread
at that moment (ranges, Python functions, operators) is the stack.
"""

from collections.abc import Iterable
from typing import NamedTuple

from perfproof.core.events import Events, Kind
from perfproof.profile.intervals import Interval
from perfproof.profile.steps import find_steps, is_step

Stack = tuple[str, ...]  # from the outermost frame to the innermost


class Allocation(NamedTuple):
    """`released` is False for memory that was still held when the recording ended."""

    device: str  # cpu, gpu0, ...
    start_ns: int
    end_ns: int
    bytes: int
    stack: Stack
    released: bool


class Recorded(NamedTuple):
    allocations: list[Allocation]
    steps: list[Interval]


def recorded_in(events: Events) -> Recorded:
    """What a table tells about memory."""
    return Recorded(allocations_of(events), find_steps(events).intervals)


def allocations_of(events: Events) -> list[Allocation]:
    """By their birth."""
    rows = sorted(events.where(Kind.ALLOCATION), key=lambda row: (events.start_ns[row], events.end_ns[row]))
    found = []
    for row, around in zip(rows, _open_rows(events, rows), strict=True):
        args = events.args_of(row)
        device = args.get("memory") or (f"gpu{events.device[row]}" if events.device[row] >= 0 else "cpu")
        times = events.start_ns[row], events.end_ns[row]
        stack = tuple(args["stack"]) if "stack" in args else around
        found.append(Allocation(device, *times, max(events.bytes[row], 0), stack, args.get("released") is not False))
    return found


def _open_rows(events: Events, moments: Iterable[int]) -> list[Stack]:
    """What was open on the thread when each of these rows (they are sorted) began."""
    steps = {place for place, name in enumerate(events.names) if is_step(name)}  # they differ in their number only
    lanes: dict[int, list[int]] = {}
    for row in events.where(Kind.RANGE, Kind.PYTHON, Kind.OPERATOR):
        if events.kind[row] != Kind.RANGE or events.name_id[row] not in steps:
            lanes.setdefault(events.thread[row], []).append(row)
    waiting = {
        thread: sorted(rows, key=lambda row: (-events.start_ns[row], events.end_ns[row]))
        for thread, rows in lanes.items()
    }
    begun: dict[int, list[int]] = {}
    found = []
    for moment in moments:
        thread, time = events.thread[moment], events.start_ns[moment]
        rows, current = waiting.get(thread, []), begun.setdefault(thread, [])
        while rows and events.start_ns[rows[-1]] <= time:
            row = rows.pop()
            current[:] = [other for other in current if events.end_ns[other] >= events.start_ns[row]]
            current.append(row)
        current[:] = [other for other in current if events.end_ns[other] >= time]
        found.append(tuple(events.name(row) for row in current))
    return found
