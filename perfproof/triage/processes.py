"""Which processes use the CPUs: names and numbers only, no arguments, which belong to whoever started them."""

import os
import time
from dataclasses import dataclass
from typing import Any

from perfproof.machine import kernel_files

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
MOST = 15


@dataclass(frozen=True)
class Seen:
    name: str
    ticks: int
    threads: int
    resident_bytes: int


@dataclass(frozen=True)
class Processes:
    at: float
    by_number: dict[int, Seen]


def read_processes() -> Processes:
    found = {}
    for name in kernel_files.names("/proc", "[0-9]*"):
        one = parse(kernel_files.read_text(f"/proc/{name}/stat"))
        if one is not None:
            found[int(name)] = one
    return Processes(time.monotonic(), found)


def parse(text: str | None) -> Seen | None:
    """proc(5), /proc/PID/stat: the name stands in brackets and may itself hold brackets and spaces."""
    head, closing, rest = (text or "").rpartition(")")
    fields = rest.split()
    if not closing or len(fields) < 22:
        return None
    try:
        ticks, threads, pages = int(fields[11]) + int(fields[12]), int(fields[17]), int(fields[21])
    except ValueError:
        return None
    return Seen(head.partition("(")[2], ticks, threads, pages * PAGE)


def busiest(before: Processes, after: Processes) -> list[dict[str, Any]]:
    """The processes that used most CPU time between two readings; one that is younger counts from its start."""
    seconds = max(after.at - before.at, 1e-9)
    rows: list[dict[str, Any]] = []
    for number, now in after.by_number.items():
        earlier = before.by_number.get(number)
        ticks = now.ticks - (earlier.ticks if earlier and earlier.name == now.name else 0)
        if ticks > 0:
            rows.append(
                {
                    "pid": number,
                    "name": now.name,
                    "cpus": round(ticks / TICKS / seconds, 3),
                    "threads": now.threads,
                    "resident_bytes": now.resident_bytes,
                }
            )
    return sorted(rows, key=lambda row: -row["cpus"])[:MOST]
