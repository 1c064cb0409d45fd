"""Allocations with the whole stack that asked for them, from a memory snapshot or a trace with `profile_memory`.

The table of events keeps one frame of an allocation; the question "who holds the peak" needs all of them, so the file
is read once more here for what the table leaves out.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from perfproof.core.errors import DocumentError
from perfproof.core.events import LARGEST, Events, Kind, whole
from perfproof.profile.intervals import Interval
from perfproof.profile.opening import opened
from perfproof.profile.readers import kineto, memory_snapshot
from perfproof.profile.steps import is_step, steps_of
from perfproof.profile.streamed_json import BrokenJson, StreamedJson

Stack = tuple[str, ...]  # from the outermost frame to the innermost


class Allocation(NamedTuple):
    """`released` is False for memory that was still held when the recording ended."""

    device: str  # cpu, gpu0, ...
    start_ns: int
    end_ns: int
    bytes: int
    stack: Stack
    released: bool


class Ledger:
    """Births and releases in the order of the file."""

    def __init__(self) -> None:
        self.finished: list[Allocation] = []
        self._living: dict[tuple[str, int], Allocation] = {}
        self._latest = 0

    def born(self, device: str, address: int, time_ns: int, size: int, stack: Stack) -> None:
        self._end(device, address, time_ns, released=True)  # an address is not given twice: the release is missing
        self._latest = max(self._latest, time_ns)
        self._living[device, address] = Allocation(device, time_ns, time_ns, size, stack, False)

    def released(self, device: str, address: int, time_ns: int) -> None:
        """Memory that was born before the recording began has no birth here and is passed over."""
        self._latest = max(self._latest, time_ns)
        self._end(device, address, time_ns, released=True)

    def closed(self) -> list[Allocation]:
        for device, address in list(self._living):
            self._end(device, address, self._latest, released=False)
        return sorted(self.finished, key=lambda one: (one.start_ns, one.end_ns))

    def _end(self, device: str, address: int, time_ns: int, released: bool) -> None:
        one = self._living.pop((device, address), None)
        if one is not None:
            self.finished.append(one._replace(end_ns=max(one.start_ns, time_ns), released=released))


class Recorded(NamedTuple):
    allocations: list[Allocation]
    steps: list[Interval]


def recorded_in(path: Path, events: Events) -> Recorded:
    """What a file holds, `events` being its table; what the table holds where the file has no more."""
    if events.source == "memory snapshot":
        snapshot = memory_snapshot._unpickled(path)
        return Recorded(_of_snapshot(snapshot), _annotated_steps(snapshot))
    if events.source == "kineto" and events.about.get("profile_memory"):
        return Recorded(_of_trace(path, events), steps_of(events))
    return Recorded(allocations_of(events), steps_of(events))


def allocations_of(events: Events) -> list[Allocation]:
    """Those of a table, with the one frame that it keeps."""
    found = []
    for row in events.rows(Kind.ALLOCATION):
        stack = (row.args["where"],) if "where" in row.args else ()
        released = row.args.get("released") is not False
        device = f"gpu{row.device}" if row.device >= 0 else "cpu"
        found.append(Allocation(device, row.start_ns, row.end_ns, max(row.bytes, 0), stack, released))
    return sorted(found, key=lambda one: (one.start_ns, one.end_ns))


def _of_snapshot(snapshot: Any) -> list[Allocation]:
    traces = snapshot.get("device_traces") if isinstance(snapshot, dict) else None
    ledger = Ledger()
    for device, trace in enumerate(traces if isinstance(traces, list) else []):
        for entry in trace if isinstance(trace, list) else []:
            if isinstance(entry, dict) and whole(entry.get("time_us")) >= 0:
                _enter(ledger, f"gpu{device}", entry)
    return ledger.closed()


def _annotated_steps(snapshot: dict[str, Any]) -> list[Interval]:
    """Steps among the ranges that _record_memory_history(global_record_annotations=True) keeps in a snapshot."""
    notes = snapshot.get("external_annotations")
    ranges = Events("memory snapshot")
    begun: dict[str, int] = {}
    for note in notes if isinstance(notes, list) else []:
        name, time = (note.get("name"), whole(note.get("time_us"))) if isinstance(note, dict) else (None, -1)
        if not isinstance(name, str) or not 0 <= time < 2**52:
            continue
        if note.get("stage") == "START":
            begun[name] = time * 1000
        elif note.get("stage") == "END" and name in begun:
            ranges.add(Kind.RANGE, name, begun.pop(name), time * 1000)
    return steps_of(ranges)


def _enter(ledger: Ledger, device: str, entry: dict[str, Any]) -> None:
    time, address, size = min(entry["time_us"], 2**52) * 1000, whole(entry.get("addr")), whole(entry.get("size"))
    if entry.get("action") == "alloc" and size >= 0:
        ledger.born(device, address, time, size, _frames(entry.get("frames")))
    elif entry.get("action") in memory_snapshot.RELEASES:
        ledger.released(device, address, time)


def _frames(frames: Any) -> Stack:
    """torch writes the innermost first; frames without a name are of native code without symbols."""
    named = [one for one in frames if isinstance(one, dict) and one.get("name")] if isinstance(frames, list) else []
    return tuple(f"{one['name']} ({one.get('filename', '?')}:{one.get('line', '?')})" for one in reversed(named))


class _Moment(NamedTuple):
    time_ns: int
    thread: int
    device: str
    address: int
    size: int  # negative for a release


def _of_trace(path: Path, events: Events) -> list[Allocation]:
    moments, base = _moments(path)
    moments = sorted((one._replace(time_ns=one.time_ns + base) for one in moments), key=lambda one: one.time_ns)
    ledger = Ledger()
    for one, stack in zip(moments, _stacks(events, moments), strict=True):
        if one.size > 0:
            ledger.born(one.device, one.address, one.time_ns, one.size, stack)
        else:
            ledger.released(one.device, one.address, one.time_ns)
    return ledger.closed()


def _moments(path: Path) -> tuple[list[_Moment], int]:
    """Every change of memory, and what is to be added to its time."""
    found: list[_Moment] = []
    base = 0
    try:
        with opened(path) as file:
            for key, value in StreamedJson(file, "traceEvents"):
                if key == "baseTimeNanoseconds" and 0 < whole(value) < LARGEST // 2:
                    base = value
                elif key == "traceEvents" and isinstance(value, dict) and (one := _moment(value)) is not None:
                    found.append(one)
    except BrokenJson as error:
        raise DocumentError(f"{path}: this trace {error}") from None
    return found, base


def _moment(event: dict[str, Any]) -> _Moment | None:
    args, time = event.get("args"), kineto._nanoseconds(event.get("ts"))
    if event.get("name") != "[memory]" or not isinstance(args, dict) or time is None:
        return None
    address, size = args.get("Addr"), args.get("Bytes")
    if type(address) is not int or type(size) is not int or not -LARGEST < size < LARGEST:
        return None
    return _Moment(time, whole(event.get("tid")), kineto._memory_of(args), address, size)


def _stacks(events: Events, moments: Iterable[_Moment]) -> list[Stack]:
    """What was open on the thread at each moment (they are sorted): ranges, Python functions and operators."""
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
    for one in moments:
        rows, current = waiting.get(one.thread, []), begun.setdefault(one.thread, [])
        while rows and events.start_ns[rows[-1]] <= one.time_ns:
            row = rows.pop()
            current[:] = [other for other in current if events.end_ns[other] >= events.start_ns[row]]
            current.append(row)
        current[:] = [other for other in current if events.end_ns[other] >= one.time_ns]
        found.append(tuple(events.name(row) for row in current))
    return found
