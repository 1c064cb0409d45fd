"""The process that samples: `python -m perfproof.machine.telemetry.process FILE HZ GPUS PARENT`.

A process of its own, so that it shares no interpreter lock with the run, on the core that workers leave free, at low
priority. It ends when its standard input is closed, and with its parent. The file is a header and short rows, one JSON
value a line, written at every tick: whatever ends the process, the file is good up to its last whole line.
"""

import json
import math
import os
import select
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, BinaryIO

from perfproof.core.parent_death import end_with_parent
from perfproof.machine import layout
from perfproof.machine.telemetry.columns import Group
from perfproof.machine.telemetry.gpu import open_gpus
from perfproof.machine.telemetry.host import open_host

VERSION = 1
NICE = 10


def main(path: str, hz: str, gpus: str, parent: str) -> None:
    stand_back()
    end_with(int(parent))
    host, unknown = open_host(float(hz))
    chosen = None if gpus == "all" else [int(index) for index in gpus.split(",") if index]
    on_gpu, unknown_on_gpu, described = ([], {}, []) if chosen == [] else open_gpus(chosen, float(hz))
    groups = [*on_gpu, *host]
    with open(path, "wb", buffering=0) as file:
        start = time.perf_counter_ns()
        file.write(_line(header(groups, unknown | unknown_on_gpu, described, float(hz), start)))
        sample(groups, float(hz), start, file)


def stand_back() -> None:
    """The first core is the system's and the parent's; where a setting is forbidden it stays as it is."""
    with suppress(OSError):
        os.sched_setaffinity(0, layout.cores()[0])
    with suppress(OSError):
        os.nice(NICE)


def end_with(parent: int) -> None:
    end_with_parent()  # the closed pipe tells it too
    if os.getppid() != parent:
        sys.exit("the parent ended before sampling began")


def header(groups: list[Group], unknown: dict[str, str], gpus: list[dict[str, Any]], hz: float, start: int) -> dict:
    """What a reader needs for the rows; core.telemetry.TelemetryHeader is its schema."""
    return {
        "schema_version": VERSION,
        "clock": time.get_clock_info("perf_counter").implementation,
        "start_ns": start,
        "started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "hz": hz,
        "cpus": os.cpu_count(),
        "gpus": gpus,
        "groups": [{"source": one.source, "columns": [vars(column) for column in one.columns]} for one in groups],
        "unknown": unknown,
    }


def sample(groups: list[Group], hz: float, start: int, file: BinaryIO) -> None:
    """Rows until standard input is closed, and one last row of everything. Ticks that came too late are left out."""
    paced = [Paced(number, group, hz, start) for number, group in enumerate(groups)]
    period, tick = 1e9 / hz, 0
    while True:
        file.write(b"".join([one.row(tick) for one in paced if tick >= one.due]))
        tick = max(tick + 1, math.ceil((time.perf_counter_ns() - start) / period))
        left = (start + tick * period - time.perf_counter_ns()) * 1e-9
        if select.select([sys.stdin], [], [], max(0.0, left))[0]:
            file.write(b"".join([one.row(tick) for one in paced]))
            return


class Paced:
    """A group and the tick at which it is due: later than `every` says where that would cost more than its share.

    A pause is at most twice the one before. A driver that is busy for a moment, as when a program opens the GPU, makes
    one reading dear, which is no reason to read nothing for a minute. What short pauses leave unpaid is a debt, which
    later ones pay: in the long run no group takes more than its share.
    """

    def __init__(self, number: int, group: Group, hz: float, start: int) -> None:
        self.number, self.group, self.start, self.due = number, group, start, group.first
        self.pause = group.every  # ticks
        self.debt, self.latest = 0.0, group.first  # ticks that what was read should still take; when it was read
        self.ticks_a_second = 0.0 if group.share is None else hz / group.share

    def row(self, tick: int) -> bytes:
        """[group, microseconds since the start, value, ...]; a value that couldn't be read is null."""
        before = time.thread_time_ns()
        since = (time.perf_counter_ns() - self.start) // 1000
        line = _line([self.number, since, *self.group.read()])
        cost = (time.thread_time_ns() - before) * 1e-9
        self.debt = max(0.0, self.debt - (tick - self.latest)) + cost * self.ticks_a_second
        self.pause = min(2 * self.pause, max(self.group.every, math.ceil(self.debt)))
        self.latest, self.due = tick, tick + self.pause
        return line


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
