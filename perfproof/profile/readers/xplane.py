"""Profiles of JAX, XLA and TensorFlow (`*.xplane.pb`): a plane per device or host, a line per stream or thread.

The numbers of the fields are those of xplane.proto in openxla/xla. Times are picoseconds after the line's start. Names
stand once per plane. On a GPU the lines `Stream #...` are what ran; on a TPU, which has none, `XLA Ops` is. The other
lines of a device (modules, steps, name scopes) show the same time again and are ranges. An operation inside another is
counted once: the outer one is a range.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.core.events import LARGEST, Events, Kind
from perfproof.profile.opening import read_bytes
from perfproof.profile.wire import BrokenMessage, fields, signed

SUFFIX = ".xplane.pb"
NUMBER = rb"[\x80-\xff]{0,9}[\x00-\x7f]"
BEGINS = re.compile(rb"\A\n%b(?:\x08%b)?\x12.(?:/host:|/device:|Task )" % (NUMBER, NUMBER), re.DOTALL)
DEVICE = re.compile(r"^/device:(?P<what>GPU|TPU):(?P<number>\d+)")
STREAM = re.compile(r"^Stream #(?P<number>\d+)")
SIZE = re.compile(r"\b(?:num_bytes|size):(?P<bytes>\d+)")
SHAPE = re.compile(r"\b(?P<what>grid|block):(?P<sizes>\d+,\d+,\d+)")
OPS = "XLA Ops"
PYTHON = "$"  # the Python tracer's events: `$train.py:12 step`
RUNTIME = re.compile(r"^(?:cu|hip)[A-Z]\w*$|^cuda[A-Z]\w*$")
KEPT = {"hlo_op", "hlo_module", "hlo_category", "tf_op", "step_num", "kernel_details", "memcpy_details"}
KEPT |= {"correlation_id", "flops", "model_flops", "bytes_accessed"}


def recognises(path: Path, head: bytes) -> bool:
    return path.name.endswith((SUFFIX, f"{SUFFIX}.gz")) or BEGINS.match(head) is not None


def read(path: Path) -> Events:
    events, planes, left_out = Events("xplane"), [], 0
    try:
        for number, value in fields(read_bytes(path)):
            if number == 1 and isinstance(value, bytes):
                planes.append(_plane(value))
            elif number in (2, 3) and isinstance(value, bytes):
                events.warnings.append(f"the profiler said: {_text(value)[:300]}")
        for process, plane in enumerate(planes):
            left_out += _take(events, plane, process)
    except BrokenMessage as error:
        raise DocumentError(f"{path}: this profile {error}; copy or record it again") from None
    if not len(events):
        raise DocumentError(f"{path}: an XLA profile without events: nothing ran while it was recorded")
    if not events.where(Kind.KERNEL):
        events.unknown["device"] = "no plane of a GPU or TPU: recorded on CPUs, or the device's tracer did not run"
    if left_out:
        events.warnings.append(f"{left_out} events have no time and were left out")
    return events


@dataclass
class _Line:
    name: str = ""
    number: int = 0
    start_ns: int = 0
    events: list[bytes] = field(default_factory=list)


@dataclass
class _Plane:
    name: str = ""
    lines: list[_Line] = field(default_factory=list)
    events: dict[int, str] = field(default_factory=dict)
    event_stats: dict[int, list[bytes]] = field(default_factory=dict)
    stats: dict[int, str] = field(default_factory=dict)


def _plane(message: bytes) -> _Plane:
    plane = _Plane()
    for number, value in fields(message):
        if not isinstance(value, bytes):
            continue
        if number == 2:
            plane.name = _text(value)
        elif number == 3:
            plane.lines.append(_line(value))
        elif number in (4, 5):
            entry = dict(fields(value))
            key, metadata = entry.get(1, 0), entry.get(2, b"")
            if not isinstance(key, int) or not isinstance(metadata, bytes):
                continue
            found = list(fields(metadata))
            name = next((_text(part) for place, part in found if place == 2 and isinstance(part, bytes)), "")
            (plane.events if number == 4 else plane.stats)[key] = name
            if number == 4:
                plane.event_stats[key] = [part for place, part in found if place == 5 and isinstance(part, bytes)]
    return plane


def _line(message: bytes) -> _Line:
    line, shown = _Line(), ""
    for number, value in fields(message):
        if number == 1 and isinstance(value, int):
            line.number = signed(value)
        elif number == 2 and isinstance(value, bytes):
            line.name = _text(value)
        elif number == 3 and isinstance(value, int):
            line.start_ns = signed(value)
        elif number == 4 and isinstance(value, bytes):
            line.events.append(value)
        elif number == 11 and isinstance(value, bytes):
            shown = _text(value)
    line.name = line.name or shown
    return line


def _take(events: Events, plane: _Plane, process: int) -> int:
    """The plane's rows; how many events have no time."""
    device = DEVICE.match(plane.name)
    working = [line for line in plane.lines if STREAM.match(line.name)] if device else []
    working = working or [line for line in plane.lines if device and line.name == OPS]
    left_out = 0
    for line in plane.lines:
        rows = [_row(plane, line, message) for message in line.events]
        timed = [row for row in rows if row is not None]
        left_out += len(rows) - len(timed)
        around = _enclosing(timed) if any(line is one for one in working) else set()
        for place, (name, start, end, stats) in enumerate(timed):
            if device:
                ran = any(line is one for one in working) and place not in around
                kind = _device_kind(name) if ran else Kind.DEVICE_RANGE
                stream = STREAM.match(line.name)
                where = {"device": int(device["number"]), "stream": int(stream["number"]) if stream else line.number}
            else:
                kind, where = _host_kind(name, stats), {"process": process, "thread": line.number}
                name = f"{name} step {stats['step_num']}" if "step_num" in stats else name
            _add(events, kind, name, (start, end), stats, where)
    return left_out


def _add(
    events: Events, kind: Kind, name: str, times: tuple[int, int], stats: dict[str, Any], where: dict[str, int]
) -> None:
    details = str(stats.pop("kernel_details", ""))
    size = SIZE.search(str(stats.pop("memcpy_details", "")))
    shapes = {one["what"]: [int(part) for part in one["sizes"].split(",")] for one in SHAPE.finditer(details)}
    events.add(
        kind,
        name,
        *times,
        correlation=stats.pop("correlation_id", -1),
        bytes=int(size["bytes"]) if size else -1,
        args={**stats, **shapes} or None,
        **where,
    )


def _row(plane: _Plane, line: _Line, message: bytes) -> tuple[str, int, int, dict[str, Any]] | None:
    """Name, beginning and end in nanoseconds, what is known of it; None for a sum over events, which has no time."""
    metadata = offset = duration = 0
    stats: list[bytes] = []
    timed = True
    for number, value in fields(message):
        if number == 4 and isinstance(value, bytes):
            stats.append(value)
        elif not isinstance(value, int):
            continue
        elif number == 1:
            metadata = value
        elif number == 2:
            offset = signed(value)
        elif number == 3:
            duration = signed(value)
        elif number == 5:
            timed = False
    start = line.start_ns + offset // 1000
    if not timed or duration < 0 or not -LARGEST < start < LARGEST or start + duration // 1000 >= LARGEST:
        return None
    known = _stats(plane, [*plane.event_stats.get(metadata, ()), *stats])
    return plane.events.get(metadata) or "unnamed", start, start + duration // 1000, known


def _stats(plane: _Plane, messages: list[bytes]) -> dict[str, Any]:
    """By name; a value may be a reference to another name of the plane."""
    found: dict[str, Any] = {}
    for message in messages:
        values = dict(fields(message))
        key = values.pop(1, 0)
        name = plane.stats.get(key, "") if isinstance(key, int) else ""
        if name not in KEPT or not values:
            continue
        number, value = next(iter(values.items()))
        if number == 7 and isinstance(value, int):
            value = plane.stats.get(value, "").encode()
        found[name] = _text(value) if isinstance(value, bytes) else signed(value) if isinstance(value, int) else value
    return found


def _enclosing(rows: list[tuple[str, int, int, dict[str, Any]]]) -> set[int]:
    """Places of the rows that hold another whole row of the same line (a `while` and its body)."""
    found: set[int] = set()
    begun: list[int] = []
    for place in sorted(range(len(rows)), key=lambda place: (rows[place][1], -rows[place][2])):
        while begun and rows[begun[-1]][2] <= rows[place][1]:
            begun.pop()
        if begun and rows[place][2] <= rows[begun[-1]][2]:
            found.add(begun[-1])
        begun.append(place)
    return found


def _device_kind(name: str) -> Kind:
    lowered = name.lower()
    return Kind.COPY if lowered.startswith("memcpy") else Kind.FILL if lowered.startswith("memset") else Kind.KERNEL


def _host_kind(name: str, stats: dict[str, Any]) -> Kind:
    if name.startswith(PYTHON):
        return Kind.PYTHON
    return Kind.RUNTIME if RUNTIME.match(name) else Kind.OPERATOR if "hlo_op" in stats else Kind.RANGE


def _text(value: bytes) -> str:
    return value.decode("utf-8", errors="replace")
