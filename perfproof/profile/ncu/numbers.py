"""Numbers and units as Nsight Compute prints them: grouped, in the locale of whoever ran it, scaled or not.

A number that can be read in two ways is not read: "1,234" is 1234 in one locale and 1.234 in another. Which mark is the
decimal one is decided once for a file, from the numbers that can be read in one way only.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

PREFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
SECONDS = {
    "nsecond": 1e-9,
    "usecond": 1e-6,
    "msecond": 1e-3,
    "second": 1.0,
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
}
COUNTED = (
    *("byte", "inst", "cycle", "sector", "request", "op", "block", "thread", "warp"),
    *("register", "cluster", "pass", "branches", "SM"),
)
GROUPING = "'’\u00a0\u202f "
NUMBER = re.compile(r"(-?)(\d[\d.,]*)(?:[eE]([+-]?\d+))?")
INSTANCES = re.compile(r"\s*\([^()]*;[^()]*\)$|\s*\{[^{}]*\}$")  # what --print-metric-instances adds behind the value


@dataclass(frozen=True)
class Reading:
    """One value in base units (seconds, bytes, counts, share of one), or why there is none."""

    value: float | None
    dimension: str = ""  # time, byte, count, share, rate
    why: str = ""


def unknown(why: str) -> Reading:
    return Reading(None, why=why)


def decimal_mark(cells: Iterable[str]) -> str | None:
    """ "." or ",": what all unambiguous numbers agree on. None if there are none; ValueError if they disagree."""
    marks = set()
    for cell in cells:
        match = NUMBER.fullmatch(_plain(cell))
        mark = _own_mark(match[2]) if match else None
        if mark:
            marks.add(mark)
    if len(marks) > 1:
        raise ValueError("numbers of two locales in one file")
    return marks.pop() if marks else None


def read(cell: str, unit: str, mark: str | None) -> Reading:
    """A cell of a metric's column with the unit that stands above it."""
    text = _plain(cell)
    if text.lower() in ("", "n/a", "nan", "-nan", "inf", "-inf"):
        return unknown(f"ncu printed {cell.strip()!r}" if text else "the cell is empty")
    value = _number(text, mark)
    if isinstance(value, str):
        return unknown(value)
    return scaled(value, unit)


def scaled(value: float, unit: str) -> Reading:
    """A value in the unit that ncu names, in base units."""
    if not math.isfinite(value):
        return unknown(f"ncu gave {value}")
    factor = scale_of(unit.strip())
    if factor is None:
        return unknown(f"its unit {unit.strip()!r} is not known")
    return Reading(value * factor[0], factor[1])


def scale_of(unit: str) -> tuple[float, str] | None:
    """(factor, dimension) of a unit; None where it is not one of ncu's that we know."""
    if unit == "":
        return 1.0, "count"
    if unit == "%":
        return 0.01, "share"
    if unit in SECONDS:
        return SECONDS[unit], "time"
    over, slash, under = unit.partition("/")
    if slash:
        top = scale_of(over)
        if top is not None and under in SECONDS and top[1] in ("byte", "count"):
            return top[0] / SECONDS[under], "rate"
        return (top[0], "ratio") if top is not None and under in COUNTED else None
    match = re.fullmatch(r"([KMGTP]?)([a-z]+|[hH]z|SM)", unit)
    if match is None:
        return None
    if match[2] in ("hz", "Hz"):
        return PREFIXES[match[1]], "rate"
    if match[2] not in COUNTED:
        return None
    return PREFIXES[match[1]], "byte" if match[2] == "byte" else "count"


def _plain(cell: str) -> str:
    """Without instance values and without the grouping marks that are never decimal ones."""
    text = INSTANCES.sub("", cell.strip())
    if re.fullmatch(rf"-?\d{{1,3}}(?:[{GROUPING}]\d{{3}})+(?:[.,]\d+)?", text):
        return re.sub(f"[{GROUPING}]", "", text)
    return text


def _own_mark(digits: str) -> str | None:
    """The decimal mark that this number shows by itself."""
    dots, commas = digits.count("."), digits.count(",")
    if dots and commas:
        last, other = (".", ",") if digits.rfind(".") > digits.rfind(",") else (",", ".")
        return last if digits.count(last) == 1 and _is_grouped(digits.rpartition(last)[0], other) else None
    if dots + commas > 1:
        group = "." if dots else ","
        return ("," if dots else ".") if _is_grouped(digits, group) else None
    if dots + commas == 0:
        return None
    mark = "." if dots else ","
    before, after = digits.split(mark)
    return None if len(after) == 3 and 1 <= len(before) <= 3 and not before.startswith("0") else mark


def _is_grouped(digits: str, mark: str) -> bool:
    return re.fullmatch(rf"\d{{1,3}}(?:{re.escape(mark)}\d{{3}})*", digits) is not None


def _number(text: str, mark: str | None) -> float | str:
    """The number, or why it is none."""
    match = NUMBER.fullmatch(text)
    if match is None:
        return f"{text[:40]!r} is not a number"
    sign, digits, exponent = match[1], match[2], match[3]
    if not re.search("[.,]", digits):
        return float(f"{sign}{digits}e{exponent or 0}")
    if mark is None:
        return f"{text!r} can be read in two ways; export with LC_ALL=C"
    group = "," if mark == "." else "."
    whole, _, fraction = digits.partition(mark)
    if group in whole and not _is_grouped(whole, group):
        return f"{text!r} is not a number"
    if not fraction.isdigit() and fraction != "":
        return f"{text!r} is not a number"
    return float(f"{sign}{whole.replace(group, '')}.{fraction or '0'}e{exponent or 0}")
