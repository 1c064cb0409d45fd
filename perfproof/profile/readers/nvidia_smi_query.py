"""What `nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv -l 1` prints: a heading, a row per GPU and tick.

Units stand in the heading (`power.draw [W]`) and, without `nounits`, behind every value. Times are the machine's local
time. `[N/A]` and `[Not Supported]` are readings that the GPU does not have: they are not in the series.
"""

import calendar
import re
import time
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events
from perfproof.profile.finite import parsed
from perfproof.profile.opening import read_text

MOMENT = "timestamp"
PLACES = ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial", "gpu_serial")  # what tells GPUs apart
WORDS = {*PLACES, MOMENT, "name", "gpu_name", "driver_version", "pstate", "count", "pci.device_id"}  # no readings
UNIT = re.compile(r"^(?P<name>[\w.]+)(?: \[(?P<unit>[^\]]+)\])?$")
KNOWN = re.compile(r"(utilization|memory|temperature|power|clocks|ecc|fan|pcie|enforced)\.", re.ASCII)
NO_TIMES = "the query has no timestamp: ticks are taken as one second apart"
BUSY = "utilization.gpu and .memory are shares of time with any kernel or access, not the use of SMs or bandwidth"


def recognises(path: Path, head: bytes) -> bool:
    first = head.decode("utf-8-sig", errors="replace").lstrip().partition("\n")[0]
    names = [name for name, _ in _heading(first)]
    return len(names) > 1 and all(names) and any(map(KNOWN.match, names)) and (MOMENT in names or "[" in first)


def read(path: Path) -> Events:
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    heading, events = _heading(lines[0]), Events("nvidia smi query")
    places: dict[str, int] = {}
    ticks: dict[int, int] = {}
    left_out = 0
    for cells in ([cell.strip() for cell in line.split(",")] for line in lines[1:]):
        if len(cells) != len(heading):
            left_out += 1
            continue
        row = {name: cell for (name, _), cell in zip(heading, cells, strict=True)}
        if _is_heading_again(row):
            continue  # a second run of the query was appended
        gpu = _gpu(row, places)
        tick = ticks[gpu] = ticks.get(gpu, -1) + 1
        when = _moment(row[MOMENT]) if MOMENT in row else tick * 1_000_000_000
        if when is None:
            left_out += 1
            continue
        for name, unit in heading:
            if name not in WORDS and (value := _number(row[name])) is not None:
                events.read(f"gpu{gpu}.{name}", when, value, unit)
    if not events.series:
        raise DocumentError(f"{path}: a heading of nvidia-smi --query-gpu, but no readings under it")
    if any(name == MOMENT for name, _ in heading):
        events.about["clock"] = "local time of the machine, its zone is not told"
    else:
        events.unknown["times"] = NO_TIMES
    if any(name.startswith("utilization.") for name, _ in heading):
        events.about["busy"] = BUSY
    if left_out:
        events.warnings.append(f"{left_out} rows could not be read and were left out")
    return events


def _heading(line: str) -> list[tuple[str, str]]:
    """(name, unit) of each column; an empty name if a cell is none."""
    found = [UNIT.match(cell.strip()) for cell in line.split(",")]
    return [(match["name"], match["unit"] or "") if match else ("", "") for match in found]


def _is_heading_again(row: dict[str, str]) -> bool:
    return all(cell.partition(" [")[0] == name for name, cell in row.items())


def _gpu(row: dict[str, str], places: dict[str, int]) -> int:
    """The GPU's index; without one GPUs are numbered as they come."""
    if row.get("index", "").isdecimal():
        return int(row["index"])
    named = next((row[name] for name in PLACES if name in row), "")
    return places.setdefault(named, len(places))


def _moment(text: str) -> int | None:
    whole, _, part = text.partition(".")
    try:
        seconds = calendar.timegm(time.strptime(whole, "%Y/%m/%d %H:%M:%S"))
        return seconds * 1_000_000_000 + (round(float(f"0.{part}") * 1e9) if part else 0)
    except (ValueError, OverflowError):
        return None


def _number(cell: str) -> float | None:
    """`123.45 W`, `45 %`, `0x...` of masks is none."""
    return parsed(cell.split(" ")[0])
