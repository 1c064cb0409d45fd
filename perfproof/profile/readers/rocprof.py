"""What `rocprof` and `rocprofv3` write in CSV: kernels, copies, calls and markers with their times, or sums per name.

rocprofv3 writes one file per domain. Its file of counters has a row per kernel and counter: the kernel counts once.
"""

import csv
import io
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from perfproof.core.errors import DocumentError
from perfproof.core.events import LARGEST, Events, Kind, Total
from perfproof.profile.finite import parsed
from perfproof.profile.opening import read_text


class Columns(NamedTuple):
    """What a version calls its columns; an empty name if it has none."""

    kind: Kind
    name: str
    start: str = "Start_Timestamp"
    end: str = "End_Timestamp"
    queue: str = "Queue_Id"
    device: str = "Agent_Id"
    process: str = "Process_Id"
    thread: str = "Thread_Id"
    correlation: str = "Correlation_Id"


TRACES = (
    Columns(Kind.KERNEL, "KernelName", "BeginNs", "EndNs", "queue-id", "gpu-id", "pid", "tid", "Index"),
    Columns(Kind.KERNEL, "Kernel_Name"),
    Columns(Kind.COPY, "Direction", device=""),
    Columns(Kind.RUNTIME, "Function"),
)
DISPATCH, COUNTER, VALUE, DOMAIN = "Dispatch_Id", "Counter_Name", "Counter_Value", "Domain"
MARKER = "MARKER_"  # domains of roctx
DIRECTION = re.compile(r"^(?:MEMORY_COPY_)?(?P<source>HOST|DEVICE)_TO_(?P<target>HOST|DEVICE)$")
NAME, CALLS, TIME = "Name", "Calls", ("TotalDurationNs", "TotalDuration(Nsec)")
NO_TIMES = "the file has sums per kernel; record times with `rocprofv3 --kernel-trace -- command`"


def recognises(path: Path, head: bytes) -> bool:
    return _form(head.decode("utf-8-sig", errors="replace").partition("\n")[0]) is not None


def read(path: Path) -> Events:
    text = read_text(path)
    form, rows = _form(text.partition("\n")[0]), csv.DictReader(io.StringIO(text.replace("\0", "").replace("\r", "")))
    events = Events("rocprof")
    try:
        left_out = _traced(events, rows, form) if isinstance(form, Columns) else _summed(events, rows)
    except csv.Error as error:
        raise DocumentError(f"{path}: the CSV of rocprof cannot be read: {error}; write it again") from None
    if not len(events) and not events.totals:
        raise DocumentError(f"{path}: a heading of rocprof, but nothing under it")
    if left_out:
        events.warnings.append(f"{left_out} rows could not be read and were left out")
    return events


def _form(heading: str) -> Columns | str | None:
    """The columns of a trace, the word "sums", or None if it is no file of rocprof."""
    names = [name.strip().strip('"') for name in heading.strip().split(",")]
    for columns in TRACES:
        if {columns.name, columns.start, columns.end} <= set(names):
            return columns
    return "sums" if NAME in names and CALLS in names and not set(TIME).isdisjoint(names) else None


def _traced(events: Events, rows: "csv.DictReader[str]", columns: Columns) -> int:
    left_out = 0
    seen: set[tuple[str | None, ...]] = set()
    counted: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    for row in rows:
        start, end = _whole(row.get(columns.start)), _whole(row.get(columns.end))
        if not row.get(columns.name) or start is None or end is None or end < start:
            left_out += 1
            continue
        name, kind = _plain(row[columns.name], columns.kind), columns.kind
        if row.get(COUNTER):
            counted[name, row[COUNTER]].append(parsed(row.get(VALUE)))
            one = (row.get(columns.process), row.get(DISPATCH), row[columns.start])
            if one in seen:
                continue
            seen.add(one)
        if (row.get(DOMAIN) or "").startswith(MARKER):
            kind = Kind.RANGE
        events.add(
            kind,
            name,
            start,
            end,
            stream=_whole(row.get(columns.queue)),
            device=_device(_copying(row) if kind is Kind.COPY else row.get(columns.device)),
            process=_whole(row.get(columns.process)),
            thread=_whole(row.get(columns.thread)),
            correlation=_whole(row.get(columns.correlation)),
        )
    for path, values in counted.items():
        numbers = [value for value in values if value is not None]
        if len(numbers) == len(values):
            events.totals.append(Total(path, {"value": sum(numbers) / len(numbers)}))
        else:
            events.unknown[" ".join(path)] = f"{path[1]} is no number in every launch"
    return left_out


def _summed(events: Events, rows: "csv.DictReader[str]") -> int:
    left_out = 0
    for row in rows:
        spent = next((_whole(row[name]) for name in TIME if row.get(name)), None)
        count = _whole(row.get(CALLS))
        if not row.get(NAME) or spent is None or count is None:
            left_out += 1
            continue
        total = Total((_plain(row[NAME], Kind.KERNEL),), {"time_ns": float(spent), "count": float(count)})
        events.totals.append(total)
    events.unknown["timeline"] = NO_TIMES
    return left_out


def _plain(name: str, kind: Kind) -> str:
    """Code objects of kernels end in `.kd`; copies are named as CUDA's profilers name them (Memcpy HtoD)."""
    name = name.strip().strip('"')
    if kind is Kind.COPY:
        found = DIRECTION.match(name)
        return f"Memcpy {found['source'][0]}to{found['target'][0]}" if found else f"Memcpy {name}"
    return name.removesuffix(".kd").strip() if kind is Kind.KERNEL else name


def _copying(row: dict[str, str]) -> str | None:
    """The GPU of a copy: where it comes from if it goes to the host, else where it goes."""
    to_host = (row.get("Direction") or "").endswith("TO_HOST")
    return row.get("Source_Agent_Id" if to_host else "Destination_Agent_Id")


def _device(text: str | None) -> int | None:
    """`1`, or `Agent 1` as newer versions write it."""
    return _whole((text or "").split(" ")[-1])


def _whole(text: str | None) -> int | None:
    try:
        value = int(text or "")
    except ValueError:
        return None
    return value if 0 <= value < LARGEST else None
