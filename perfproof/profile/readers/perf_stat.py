"""Counters of `perf stat -x,` (or `-x;`), over a whole run or with `-I` in steps.

`<not supported>` and `<not counted>` are not zero: such a counter is unknown.
"""

from pathlib import Path
from typing import NamedTuple

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events, Total
from perfproof.profile.finite import parsed
from perfproof.profile.opening import read_text

MISSING = {"<not supported>": "this machine does not count it", "<not counted>": "it was never counted in this run"}
SEPARATORS = (";", "|", "\t")  # of `-x;` and the like; the names of events may hold commas
BEFORE = 3  # fields that options put before the value: a time, a core, how many CPUs


class Line(NamedTuple):
    before: tuple[str, ...]
    value: float | None  # None: see `why`
    why: str
    unit: str
    event: str
    counted_percent: float | None


def recognises(path: Path, head: bytes) -> bool:
    lines = head.decode("utf-8", errors="replace").splitlines()
    told = [line for line in lines[:20] if line.strip() and not line.startswith("#")]
    return bool(told) and _line(told[0]) is not None and "\0" not in lines[0]


def read(path: Path) -> Events:
    events = Events("perf stat")
    sums: dict[tuple[str, ...], float] = {}
    shared: set[str] = set()
    left_out = 0
    for text in read_text(path).splitlines():
        line = _line(text)
        if line is None:
            left_out += bool(text.strip()) and not text.startswith("#")
        elif line.value is None:
            events.unknown.setdefault(line.event, line.why)
        else:
            _take(events, sums, line)
            if line.counted_percent is not None and line.counted_percent < 99.5:
                shared.add(line.event)
    if not sums and not events.unknown:
        raise DocumentError(f"{path}: has no counter; run `perf stat -x, -o FILE -- command`")
    for name in {path[0] for path in sums} & set(events.unknown):
        events.warnings.append(f"{name} was not counted in every step or on every core: its total is of the rest")
        del events.unknown[name]
    events.totals = [Total(path, {"value": value}) for path, value in sums.items()]
    return with_remarks(events, shared, left_out)


def with_remarks(events: Events, shared: set[str], left_out: int) -> Events:
    """For both forms of perf stat: counters that shared a register, lines that are none."""
    events.unknown["timeline"] = "counters have no events"
    if shared:
        events.warnings.append(f"scaled by perf, for they shared a counter: {', '.join(sorted(shared))}")
    if left_out:
        events.warnings.append(f"{left_out} lines are no counters and were left out")
    return events


def _take(events: Events, sums: dict[tuple[str, ...], float], line: Line) -> None:
    """Add to the total; with -I (the first field is a time in seconds) to a series, too."""
    seconds = parsed(line.before[0]) if line.before else None
    place = (line.event, *(part for part in line.before if parsed(part) is None))
    assert line.value is not None
    sums[place] = sums.get(place, 0.0) + line.value
    if seconds is not None and 0 <= seconds < 1e9:
        events.read(".".join(place), round(seconds * 1e9), line.value, line.unit)


def _line(text: str) -> Line | None:
    """The value is the first field that is a number (or missing) before a unit that is none and a name that is none."""
    mark = next((mark for mark in SEPARATORS if mark in text), ",")
    fields = [field.strip() for field in text.split(mark)]
    for place in range(min(BEFORE + 1, len(fields) - 2)):
        value, unit, event = fields[place : place + 3]
        if (parsed(value) is None and value not in MISSING) or parsed(unit) is not None or unit in MISSING:
            continue
        if not event or parsed(event) is not None or len(fields) < place + 5:
            continue
        percent = parsed(fields[place + 4])
        if parsed(fields[place + 3]) is None:
            continue
        return Line(tuple(fields[:place]), parsed(value), MISSING.get(value, ""), unit, event, percent)
    return None
