"""Points of a roofline from a CSV of one's own: what is known about kernels without a profiler.

| column | required | meaning |
|---|---|---|
| `name` | yes | the kernel |
| `seconds`, `ms`, `us` or `ns` | one of them | time of one launch |
| `flops` | no | operations of one launch |
| `bytes` | no | DRAM traffic of one launch |
| `l2_bytes`, `shared_bytes` | no | traffic of those levels |
| `feed_bytes` | no | operands that the tensor cores read from shared memory (Hopper) |
| `dtype` | no | bf16, fp16, fp8, tf32, fp32, ...: chooses the compute roof |
| `launches` | no | how often it ran; 1 if not given |
| `capability` | no | 9.0, 10.0: for the dual roofline |
| `group`, `variant` | no | points of one group are joined: an arrow leads from `baseline` to the others |

Numbers are written as in Python (1.5e9), lines that begin with # are skipped.
"""

import csv
import math

from perfproof.calc.roofline import dtype_name
from perfproof.core.errors import DocumentError
from perfproof.core.roofline import Kernel

TIMES = {"seconds": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
LEVELS = {"bytes": "DRAM", "l2_bytes": "L2", "shared_bytes": "shared memory"}
NUMBERS = ("flops", *LEVELS, "feed_bytes", "launches")
TEXTS = ("name", "dtype", "capability", "group", "variant")


def looks_like(text: str) -> bool:
    """Has its first line the columns that make a table of kernels?"""
    header = _header(text)
    return "name" in header and any(column in header for column in TIMES)


def parse(text: str, where: str) -> tuple[list[Kernel], list[str]]:
    """The kernels and what is wrong with the file; DocumentError where it is no such table."""
    header = _header(text)
    times = [column for column in TIMES if column in header]
    if "name" not in header or len(times) != 1:
        raise DocumentError(
            f"{where}: needs the columns name and one of {', '.join(TIMES)}; it has {', '.join(header)}"
        )
    surplus = [column for column in header if column not in (*TEXTS, *NUMBERS, *TIMES)]
    warnings = [f"columns that are not used: {', '.join(surplus)}"] if surplus else []
    kernels = []
    for number, line in _lines(text)[1:]:
        try:
            cells = next(csv.reader([line], strict=True), [])
        except csv.Error:
            cells = []
        if len(cells) != len(header) or not cells[header.index("name")].strip():
            warnings.append(f"line {number} is not a whole row and was left out")
            continue
        kernels.append(_kernel(dict(zip(header, (cell.strip() for cell in cells), strict=True)), times[0]))
    return kernels, warnings


def _kernel(row: dict[str, str], time: str) -> Kernel:
    missing: dict[str, str] = {}
    numbers = {column: _number(row, column, missing) for column in (time, *NUMBERS)}
    launches = numbers["launches"] or 1.0
    if launches != int(launches):
        missing["launches"], launches = f"{row['launches']!r} is not a whole number", 1.0
    if "launches" in missing:
        numbers[time] = None
        missing["time"] = "the number of launches is not known"

    def total(column: str, factor: float = 1.0) -> float | None:
        value = numbers[column]
        return None if value is None else value * factor * launches

    seconds, flops = total(time, TIMES[time]), total("flops")
    if seconds == 0:
        seconds, missing["time"] = None, "it is 0"
    levels = {level: total(column) for column, level in LEVELS.items()}
    return Kernel(
        name=row["name"],
        label=row["name"] if not row.get("variant") else f"{row['name']} {row['variant']}",
        source="metadata",
        group=row.get("group", ""),
        variant=row.get("variant", ""),
        launches=int(launches),
        seconds=seconds,
        flops=flops,
        work={dtype_name(row.get("dtype", "")): flops} if flops else {},
        bytes={level: moved for level, moved in levels.items() if moved is not None},
        feed_bytes=total("feed_bytes"),
        capability=row.get("capability", ""),
        unknown=missing,
    )


def _number(row: dict[str, str], column: str, missing: dict[str, str]) -> float | None:
    text = row.get(column, "")
    if text == "":
        if column not in ("launches", "feed_bytes", "l2_bytes", "shared_bytes"):
            missing[_what(column)] = "not given"
        return None
    try:
        value = float(text) if "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0 or value > 1e30:
        missing[_what(column)] = f"{text[:40]!r} is not a number that can be used"
        return None
    return value


def _what(column: str) -> str:
    return "time" if column in TIMES else f"{LEVELS[column]} bytes" if column in LEVELS else column


def _lines(text: str) -> list[tuple[int, str]]:
    lines = enumerate(text.splitlines(), start=1)
    return [(number, line) for number, line in lines if line.strip() and not line.startswith("#")]


def _header(text: str) -> list[str]:
    lines = _lines(text)
    try:
        return [cell.strip() for cell in next(csv.reader([lines[0][1]]), [])] if lines else []
    except csv.Error:
        return []
