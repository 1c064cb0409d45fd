"""The table of `strace -c`: calls of the operating system by name, with their number, time and errors."""

import re
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events, Total
from perfproof.profile.opening import read_text

HEADING = re.compile(rb"^% time +seconds +usecs/call +calls +errors +syscall", re.MULTILINE)
ROW = re.compile(
    r"^\s*(?P<share>\d+[.,]\d+)\s+(?P<seconds>\d+[.,]\d+)\s+\d+\s+(?P<calls>\d{1,15})(?:\s+(?P<errors>\d{1,15}))?\s+(?P<name>[a-z_]\w*)\s*$"
)
SUM = "total"
NO_TIMES = "the table has sums per call of the system, no events"


def recognises(path: Path, head: bytes) -> bool:
    return HEADING.search(head[:4096]) is not None


def read(path: Path) -> Events:
    events, calls, told = Events("strace"), 0, None
    for match in filter(None, map(ROW.match, read_text(path).splitlines())):
        if match["name"] == SUM:
            told = int(match["calls"])
            continue
        calls += int(match["calls"])
        values = {"time_ns": float(match["seconds"].replace(",", ".")) * 1e9, "count": float(match["calls"])}
        events.totals.append(Total((match["name"],), values | {"errors": float(match["errors"] or 0)}))
    if not events.totals:
        raise DocumentError(f"{path}: the heading of strace -c, but no call under it")
    if told != calls:
        why = "its last line is missing" if told is None else f"it says {told:,} calls and lists {calls:,}"
        events.warnings.append(f"the table is cut or damaged: {why}")
    events.unknown["timeline"] = NO_TIMES
    return events
