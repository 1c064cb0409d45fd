"""What happened on a machine while it was profiled: one table, whichever profiler wrote it.

Rows have a beginning and an end (kernels, copies, calls, ranges). Beside the rows are `series` (readings over time),
`totals` (what a profiler added up and gave no times for: stacks, counters) and `unknown` (what the file does not hold,
and why: an absent thing is never an empty one). Columns are arrays of machine numbers, names and arguments are kept
once, so that a million rows take about a hundred megabytes.
"""

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

ABSENT = -1  # of stream, device, rank, correlation, external, thread, process and bytes: the profiler did not say
LARGEST = 2**62  # numbers beyond are not believed: sums of two must fit into 64 bits
SMALLEST = -(2**62)


class Kind(IntEnum):
    KERNEL = 0
    COPY = 1
    FILL = 2
    RUNTIME = 3  # a call of the CUDA runtime or driver, on the host
    SYNC = 4  # a wait that the device's profiler recorded
    RANGE = 5  # named by the program, on the host
    DEVICE_RANGE = 6  # the same range as the device's work under it
    OPERATOR = 7
    PYTHON = 8
    OS_CALL = 9
    ALLOCATION = 10  # from its birth to its release
    SAMPLE = 11  # a stack at a moment
    OVERHEAD = 12  # of the profiler itself
    MARK = 13


DEVICE_WORK = (Kind.KERNEL, Kind.COPY, Kind.FILL)


class Event(NamedTuple):
    """One row."""

    kind: Kind
    name: str
    start_ns: int
    end_ns: int
    stream: int
    device: int
    rank: int
    correlation: int
    external: int
    thread: int
    process: int
    bytes: int
    args: dict[str, Any]

    @property
    def duration_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass
class Series:
    """Readings of one thing. A reading that failed is not in it."""

    unit: str = ""
    times_ns: array = field(default_factory=lambda: array("q"))
    values: array = field(default_factory=lambda: array("d"))

    def add(self, time_ns: int, value: float) -> None:
        self.times_ns.append(time_ns)
        self.values.append(value)


@dataclass(frozen=True)
class Total:
    """Something added up over a whole profile: `path` from the outermost frame to the innermost."""

    path: tuple[str, ...]
    values: dict[str, float]  # time_ns, count, samples, ...
    device: int = ABSENT


def whole(value: object) -> int:
    """A number that can be an id or a size; ABSENT for anything else."""
    return value if type(value) is int and SMALLEST < value < LARGEST else ABSENT


class Events:
    """The table. `add` appends a row; the columns may be read directly."""

    IDS = ("stream", "device", "rank", "correlation", "external", "thread", "process", "bytes")

    def __init__(self, source: str) -> None:
        self.source = source
        self.kind = array("b")
        self.start_ns, self.end_ns = array("q"), array("q")
        self.stream, self.correlation, self.external = array("q"), array("q"), array("q")
        self.thread, self.process, self.bytes = array("q"), array("q"), array("q")
        self.device, self.rank = array("q"), array("q")
        self.name_id, self.args_id = array("l"), array("l")
        self.names: list[str] = []
        self.arguments: list[str] = []  # each a JSON object
        self.series: dict[str, Series] = {}
        self.totals: list[Total] = []
        self.about: dict[str, Any] = {}
        self.unknown: dict[str, str] = {}
        self.warnings: list[str] = []
        self._names: dict[str, int] = {}
        self._arguments: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.start_ns)

    def add(
        self,
        kind: Kind,
        name: str,
        start_ns: int,
        end_ns: int,
        *,
        stream: object = ABSENT,
        device: object = ABSENT,
        rank: object = ABSENT,
        correlation: object = ABSENT,
        external: object = ABSENT,
        thread: object = ABSENT,
        process: object = ABSENT,
        bytes: object = ABSENT,
        args: dict[str, Any] | None = None,
    ) -> None:
        """A row; times must be whole nanoseconds within 64 bits, ids that are none become ABSENT."""
        place = self._names.get(name)
        if place is None:
            place = self._names[name] = len(self.names)
            self.names.append(name)
        self.start_ns.append(start_ns)
        self.end_ns.append(end_ns)
        self.kind.append(kind)
        self.name_id.append(place)
        self.args_id.append(self._argument(args) if args else ABSENT)
        self.stream.append(whole(stream))
        self.device.append(whole(device))
        self.rank.append(whole(rank))
        self.correlation.append(whole(correlation))
        self.external.append(whole(external))
        self.thread.append(whole(thread))
        self.process.append(whole(process))
        self.bytes.append(whole(bytes))

    def read(self, series: str, time_ns: int, value: float, unit: str = "") -> None:
        """A reading of a series, which begins with its first one."""
        if series not in self.series:
            self.series[series] = Series(unit)
        self.series[series].add(time_ns, value)

    def where(self, *kinds: Kind) -> list[int]:
        """The rows of these kinds, in the file's order."""
        wanted = set(map(int, kinds))
        return [row for row, kind in enumerate(self.kind) if kind in wanted]

    def rows(self, *kinds: Kind) -> Iterator[Event]:
        return (self.row(place) for place in (self.where(*kinds) if kinds else range(len(self))))

    def row(self, place: int) -> Event:
        ids = {column: getattr(self, column)[place] for column in self.IDS}
        start, end = self.start_ns[place], self.end_ns[place]
        return Event(Kind(self.kind[place]), self.name(place), start, end, **ids, args=self.args_of(place))

    def name(self, place: int) -> str:
        return self.names[self.name_id[place]]

    def args_of(self, place: int) -> dict[str, Any]:
        found = self.args_id[place]
        return {} if found == ABSENT else json.loads(self.arguments[found])

    def shift(self, by_ns: int) -> None:
        """Move all rows and series in time."""
        if not by_ns:
            return
        self.start_ns = array("q", (time + by_ns for time in self.start_ns))
        self.end_ns = array("q", (time + by_ns for time in self.end_ns))
        for series in self.series.values():
            series.times_ns = array("q", (time + by_ns for time in series.times_ns))

    def set_rank(self, rank: int) -> None:
        self.rank = array("q", [rank]) * len(self)

    def _argument(self, args: dict[str, Any]) -> int:
        text = json.dumps(args, default=str)
        place = self._arguments.get(text)
        if place is None:
            place = self._arguments[text] = len(self.arguments)
            self.arguments.append(text)
        return place


def joined(tables: Iterable[Events]) -> Events:
    """Tables of several files, of several ranks as a rule, as one."""
    together: Events | None = None
    for table in tables:
        if together is None:
            together = Events(table.source)
        elif together.source != table.source:
            together.source = "several"
        _append(together, table)
    return together or Events("nothing")


def by_rank(events: Events) -> list[Events]:
    """A table for each rank in it, in their order; rows of no rank are in none. Readings stay with the first."""
    found = {rank: Events(events.source) for rank in sorted(set(events.rank) - {ABSENT})}
    for row in events.rows():
        if row.rank != ABSENT:
            found[row.rank].add(row.kind, row.name, row.start_ns, row.end_ns, args=row.args or None, **_ids(row))
    tables = list(found.values()) or [events]
    tables[0].series, tables[0].totals = events.series, events.totals
    for own in tables:
        own.about, own.unknown, own.warnings = dict(events.about), dict(events.unknown), list(events.warnings)
    return tables


def _ids(row: Event) -> dict[str, int]:
    return {name: getattr(row, name) for name in Events.IDS}


def _append(to: Events, table: Events) -> None:
    for column in ("kind", "start_ns", "end_ns", *Events.IDS):
        getattr(to, column).extend(getattr(table, column))
    names = [to._names.setdefault(name, len(to._names)) for name in table.names]
    to.names = list(to._names)
    arguments = [to._arguments.setdefault(text, len(to._arguments)) for text in table.arguments]
    to.arguments = list(to._arguments)
    to.name_id.extend(names[place] for place in table.name_id)
    to.args_id.extend(ABSENT if place == ABSENT else arguments[place] for place in table.args_id)
    label = f"rank{table.rank[0]}." if len(table) and table.rank[0] != ABSENT else ""
    for name, series in table.series.items():
        to.series[_free(to.series, label + name)] = series
    to.totals += table.totals
    to.about[_free(to.about, label.rstrip(".") or table.source)] = table.about
    to.unknown.update({label + what: why for what, why in table.unknown.items()})
    to.warnings += [label.replace(".", ": ") + warning for warning in table.warnings]


def _free(taken: dict[str, Any], name: str) -> str:
    """The name, numbered where an earlier file has it."""
    number, free = 2, name
    while free in taken:
        number, free = number + 1, f"{name} ({number})"
    return free
