"""Kernels of AMD GPUs as `rocprof` and `rocprofv3` write them in CSV: with the times of each, or added up per name."""

import csv
import io
from pathlib import Path
from typing import NamedTuple

from perfproof.core.errors import DocumentError
from perfproof.core.events import LARGEST, Events, Kind, Total
from perfproof.profile.opening import read_text


class Columns(NamedTuple):
    """What a version calls its columns; an empty name if it has none."""

    name: str
    start: str
    end: str
    queue: str
    device: str
    process: str
    thread: str
    correlation: str


TRACES = (
    Columns("KernelName", "BeginNs", "EndNs", "queue-id", "gpu-id", "pid", "tid", "Index"),
    Columns(
        "Kernel_Name", "Start_Timestamp", "End_Timestamp", "Queue_Id", "Agent_Id", "", "Thread_Id", "Correlation_Id"
    ),
)
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
        raise DocumentError(f"{path}: a heading of rocprof, but no kernels under it")
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
    for row in rows:
        start, end = _whole(row.get(columns.start)), _whole(row.get(columns.end))
        if not row.get(columns.name) or start is None or end is None or end < start:
            left_out += 1
            continue
        events.add(
            Kind.KERNEL,
            _plain(row[columns.name]),
            start,
            end,
            stream=_whole(row.get(columns.queue)),
            device=_device(row.get(columns.device)),
            process=_whole(row.get(columns.process)),
            thread=_whole(row.get(columns.thread)),
            correlation=_whole(row.get(columns.correlation)),
        )
    return left_out


def _summed(events: Events, rows: "csv.DictReader[str]") -> int:
    left_out = 0
    for row in rows:
        spent = next((_whole(row[name]) for name in TIME if row.get(name)), None)
        count = _whole(row.get(CALLS))
        if not row.get(NAME) or spent is None or count is None:
            left_out += 1
            continue
        events.totals.append(Total((_plain(row[NAME]),), {"time_ns": float(spent), "count": float(count)}))
    events.unknown["timeline"] = NO_TIMES
    return left_out


def _plain(name: str) -> str:
    """Code objects of kernels end in `.kd`."""
    return name.strip().strip('"').removesuffix(".kd").strip()


def _device(text: str | None) -> int | None:
    """`1`, or `Agent 1` as newer versions write it."""
    return _whole((text or "").split(" ")[-1])


def _whole(text: str | None) -> int | None:
    try:
        value = int(text or "")
    except ValueError:
        return None
    return value if 0 <= value < LARGEST else None
