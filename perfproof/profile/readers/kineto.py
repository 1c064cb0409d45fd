"""Traces of torch.profiler (Kineto): Chrome's JSON, plain or packed, of any size.

Arguments that differ in every event are columns (correlation, stream, bytes) or left out (the profiler's own serial
numbers); the others are kept. Times are those of the host's clock: `baseTimeNanoseconds` is added where the file has
it. Traces of other programs in Chrome's format are read too; categories that torch does not know become ranges.
"""

import math
from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.core.events import ABSENT, DEVICE_WORK, LARGEST, Events, Kind, whole
from perfproof.profile.ledger import Held, Ledger
from perfproof.profile.opening import opened
from perfproof.profile.streamed_json import BrokenJson, StreamedJson

KINDS = {
    "kernel": Kind.KERNEL,
    "gpu_memcpy": Kind.COPY,
    "memcpy": Kind.COPY,
    "gpu_memset": Kind.FILL,
    "memset": Kind.FILL,
    "cuda_runtime": Kind.RUNTIME,
    "cuda_driver": Kind.RUNTIME,
    "runtime": Kind.RUNTIME,
    "hip_runtime": Kind.RUNTIME,
    "xpu_runtime": Kind.RUNTIME,
    "privateuse1_runtime": Kind.RUNTIME,
    "cuda_sync": Kind.SYNC,
    "user_annotation": Kind.RANGE,
    "gpu_user_annotation": Kind.DEVICE_RANGE,
    "cpu_op": Kind.OPERATOR,
    "operator": Kind.OPERATOR,
    "python_function": Kind.PYTHON,
    "overhead": Kind.OVERHEAD,
    "trace": Kind.OVERHEAD,  # the span of the profiler itself
}
OLD_RANGES = ("ProfilerStep#", "enumerate(DataLoader)#", "Optimizer.")  # operators in traces of torch before 1.13
ON_DEVICE = {Kind.KERNEL, Kind.COPY, Kind.FILL, Kind.DEVICE_RANGE, Kind.SYNC}
COLUMNS = {"correlation", "stream", "device", "bytes", "External id", "external id"}
GRADIENT = "may get a gradient"  # by number: torch counts what a backward pass would visit
SERIALS = {"Ev Idx", "Record function id", "Sequence number", "Fwd thread id", "memory bandwidth (GB/s)"}
SERIALS |= {"Python id", "Python parent id", "Python module id"}
NOT_ARGUMENTS = COLUMNS | SERIALS
FACTS = (
    "deviceProperties",
    "distributedInfo",
    "host_name",
    "trace_id",
    "with_stack",
    "profile_memory",
    "schemaVersion",
    "perfproof_threads",
    "perfproof_debug_modes",
)
NO_DEVICE = "the trace has no device work: recorded without a GPU, or another profiler held CUPTI"
# CUPTI writes zeros for a time that it could not take. Such work would stretch the trace from 1970 to now.
BY_CUPTI = {*ON_DEVICE, Kind.RUNTIME, Kind.OVERHEAD}
UNTIMED = "times of the GPU"
NO_TIMES = "CUPTI gave no times for the work of the GPU (all are zero); record again"


def recognises(path: Path, head: bytes) -> bool:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"["):
        return b'"ph"' in head
    return start.startswith(b"{") and (b'"traceEvents"' in head or b'"deviceProperties"' in head)


def read(path: Path) -> Events:
    trace = _Trace()
    try:
        with opened(path) as file:
            scanned = StreamedJson(file, "traceEvents")
            for key, value in scanned:
                if key != "traceEvents":
                    trace.facts[key] = value
                elif isinstance(value, dict):
                    trace.take(value)
                elif isinstance(value, list):
                    raise DocumentError(f"{path}: traceEvents holds lists, not events")
                else:
                    trace.left_out += 1
    except BrokenJson as error:
        raise DocumentError(f"{path}: this trace {error}") from None
    trace.left_out += scanned.left_out
    if not trace.seen:
        raise DocumentError(f"{path}: JSON, but no trace: it has no events in traceEvents")
    return trace.finished()


class _Trace:
    """A trace while it is read. What stands after the events (rank, base time) is applied at the end."""

    def __init__(self) -> None:
        self.events = Events("kineto")
        self.facts: dict[str, Any] = {}
        self.left_out = self.seen = 0
        self.untimed = self.untimed_work = 0  # events of CUPTI without a time; those of them that are device work
        self._memory: list[tuple[int, int, str, int, int]] = []  # time, thread, memory, address, bytes (< 0: released)
        self._open: dict[tuple[Any, Any], list[dict[str, Any]]] = {}

    def take(self, event: dict[str, Any]) -> None:
        self.seen += 1
        phase = event.get("ph")
        if phase == "X":
            self._interval(event, _nanoseconds(event.get("ts")), _nanoseconds(event.get("dur")))
        elif phase in ("i", "I"):
            self._moment(event)
        elif phase == "C":
            self._counter(event)
        elif phase == "B":
            self._open.setdefault(_lane(event), []).append(event)
        elif phase == "E":
            self._close(event)

    def _interval(self, event: dict[str, Any], start: int | None, duration: int | None) -> None:
        if start is None or duration is None or duration < 0:
            self.left_out += 1
            return
        args = event.get("args")
        if not isinstance(args, dict):
            args = {}
        category = event.get("cat")
        name = str(event.get("name", "unnamed"))
        kind = KINDS.get(category.lower(), Kind.RANGE) if isinstance(category, str) else Kind.RANGE
        if kind is Kind.OPERATOR and name.startswith(OLD_RANGES):
            kind = Kind.RANGE
        if start == duration == 0 and kind in BY_CUPTI:
            self.untimed += 1
            self.untimed_work += kind in DEVICE_WORK
            return
        on_device = kind in ON_DEVICE
        self.events.add(
            kind,
            name,
            start,
            start + duration,
            stream=args.get("stream", ABSENT),
            device=args.get("device", event.get("pid") if on_device else ABSENT),
            correlation=args.get("correlation", ABSENT),
            external=args.get("External id", args.get("external id", ABSENT)),
            thread=ABSENT if on_device else event.get("tid"),
            process=ABSENT if on_device else event.get("pid"),
            bytes=args.get("bytes", ABSENT),
            args={name: args[name] for name in args if name not in NOT_ARGUMENTS}
            | ({GRADIENT: args["Sequence number"]} if "Sequence number" in args else {}),
        )

    def _moment(self, event: dict[str, Any]) -> None:
        time = _nanoseconds(event.get("ts"))
        if time is None:
            self.left_out += 1
            return
        args = event.get("args")
        if event.get("name") == "[memory]" and isinstance(args, dict):
            owner = _memory_of(args)
            for key, name in (("Total Allocated", "allocated_bytes"), ("Total Reserved", "reserved_bytes")):
                if _is_number(args.get(key)):
                    self.events.read(f"{owner}.{name}", time, args[key], "B")
            address, size = args.get("Addr"), args.get("Bytes")
            if type(address) is int and type(size) is int and -LARGEST < size < LARGEST:
                self._memory.append((time, whole(event.get("tid")), owner, address, size))
        else:
            self.events.add(Kind.MARK, str(event.get("name", "unnamed")), time, time, thread=event.get("tid"))

    def _counter(self, event: dict[str, Any]) -> None:
        time, args = _nanoseconds(event.get("ts")), event.get("args")
        if time is None or not isinstance(args, dict):
            self.left_out += 1
            return
        for key, value in args.items():
            if _is_number(value):
                self.events.read(f"{event.get('name', 'counter')}.{key}", time, value)

    def _close(self, event: dict[str, Any]) -> None:
        """The end of the innermost range of its thread."""
        begun = self._open.get(_lane(event))
        end = _nanoseconds(event.get("ts"))
        if not begun or end is None:
            self.left_out += 1
            return
        beginning = begun.pop()
        start = _nanoseconds(beginning.get("ts"))
        self._interval(beginning, start, None if start is None else end - start)

    def _enter_allocations(self) -> None:
        """Every thread writes its own changes: only in order of time do births and releases meet."""
        ledger = Ledger(self.events)
        for time, thread, memory, address, size in sorted(self._memory, key=lambda one: one[0]):
            if size > 0:
                ledger.born(address, Held(memory, time, size, thread))
            else:
                ledger.released(memory, address, time)
        ledger.close()

    def finished(self) -> Events:
        self._enter_allocations()
        events, facts = self.events, self.facts
        base = whole(facts.get("baseTimeNanoseconds"))
        latest = max(events.end_ns, default=0)
        if 0 < base < LARGEST - latest:
            events.shift(base)
        spread = facts.get("distributedInfo")
        rank = whole(spread.get("rank")) if isinstance(spread, dict) else ABSENT
        if rank >= 0:
            events.set_rank(rank)
        events.about = {name: facts[name] for name in FACTS if name in facts}
        if not any(kind in (Kind.KERNEL, Kind.COPY, Kind.FILL) for kind in events.kind):
            events.unknown["device"] = NO_TIMES if self.untimed_work else NO_DEVICE
            if self.untimed_work:
                events.unknown[UNTIMED] = NO_TIMES
        unfinished = sum(map(len, self._open.values()))
        if self.left_out:
            events.warnings.append(f"{self.left_out} events could not be read and were left out")
        if self.untimed:
            events.warnings.append(f"{self.untimed} events without a time were left out: {NO_TIMES}")
        if unfinished:
            events.warnings.append(f"{unfinished} ranges have no end and were left out")
        return events


def _nanoseconds(microseconds: object) -> int | None:
    """Whole nanoseconds; the whole part apart, so that no digit of a time since 1970 is lost."""
    if isinstance(microseconds, str):  # some writers quote their numbers
        try:
            microseconds = float(microseconds)
        except ValueError:
            return None
    if not _is_number(microseconds) or not -LARGEST / 2000 < microseconds < LARGEST / 2000:  # type: ignore[operator]
        return None
    number = int(microseconds)  # type: ignore[call-overload]
    return number * 1000 + round((microseconds - number) * 1000)  # type: ignore[operator]


def _is_number(value: object) -> bool:
    if type(value) is int:
        return -LARGEST < value < LARGEST
    return type(value) is float and math.isfinite(value)


def _lane(event: dict[str, Any]) -> tuple[str, str]:
    return str(event.get("pid")), str(event.get("tid"))


def _memory_of(args: dict[str, Any]) -> str:
    """Whose memory: c10 numbers its device types, of which 0 is the CPU and 1 is CUDA."""
    kind, number = args.get("Device Type"), args.get("Device Id")
    return "cpu" if kind == 0 else f"gpu{number}" if kind == 1 else f"device{kind}.{number}"
