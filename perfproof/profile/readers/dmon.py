"""What `nvidia-smi dmon` prints: two rows of headings (names, units), then a row for each GPU at each tick.

Times need `-o DT`; they are the machine's local time, without its zone. Without them ticks are counted and called a
second apart, dmon's default, and the events say so. A dash is a reading that the GPU does not have: it is not in the
series.
"""

import calendar
import time
from itertools import pairwise
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events
from perfproof.profile.finite import parsed
from perfproof.profile.opening import read_text

GPU, UNIT_OF_GPU = "gpu", "Idx"
DATE, CLOCK = "Date", "Time"
NO_TIMES = "dmon ran without -o DT: ticks are taken as one second apart, its default"
BUSY = "sm and mem of dmon are shares of time with any kernel or access, not the use of the SMs or of the bandwidth"


def recognises(path: Path, head: bytes) -> bool:
    lines = head.decode("utf-8", errors="replace").splitlines()[:5]
    return any(_is_heading(names) and UNIT_OF_GPU in _cells(units) for names, units in pairwise(lines))


def read(path: Path) -> Events:
    events = Events("dmon")
    names: list[str] = []
    units: list[str] = []
    tick, left_out, seen = -1, 0, set[str]()
    for line in read_text(path).splitlines():
        cells = _cells(line)
        if line.startswith("#"):
            names, units = (cells, units) if _is_heading(line) else (names, cells)
        elif cells and names and len(cells) == len(names):
            row = dict(zip(names, cells, strict=True))
            tick, seen = (tick + 1, {row[GPU]}) if not seen or row[GPU] in seen else (tick, seen | {row[GPU]})
            left_out += not _take(events, row, dict(zip(names, units, strict=False)), tick)
        elif cells:
            left_out += 1
    if not events.series:
        raise DocumentError(f"{path}: headings of nvidia-smi dmon, but no readings under them")
    if DATE in names and CLOCK in names:
        events.about["clock"] = "local time of the machine, its zone is not told"
    else:
        events.unknown["times"] = NO_TIMES
    if "sm" in names:
        events.about["busy"] = BUSY
    if left_out:
        events.warnings.append(f"{left_out} rows could not be read and were left out")
    return events


def _take(events: Events, row: dict[str, str], units: dict[str, str], tick: int) -> bool:
    when = _moment(row, tick)
    if when is None or not row[GPU].isdecimal():
        return False
    for name, cell in row.items():
        if name in (GPU, DATE, CLOCK):
            continue
        value = parsed(cell)
        if value is not None:
            events.read(f"gpu{row[GPU]}.{name}", when, value, units.get(name, ""))
    return True


def _moment(row: dict[str, str], tick: int) -> int | None:
    if DATE not in row or CLOCK not in row:
        return tick * 1_000_000_000
    try:
        return calendar.timegm(time.strptime(f"{row[DATE]} {row[CLOCK]}", "%Y%m%d %H:%M:%S")) * 1_000_000_000
    except (ValueError, OverflowError):
        return None


def _is_heading(line: str) -> bool:
    return line.startswith("#") and GPU in _cells(line) and len(_cells(line)) > 2


def _cells(line: str) -> list[str]:
    """Columns stand apart by blanks, or by commas with `--format csv`."""
    text = line.lstrip("#").strip()
    return [cell.strip() for cell in text.split(",")] if "," in text else text.split()
