"""Numbers as people write them: 131072, 1e6, 128k (thousand), 1.5M, 2B or 2G (1e9), 15T, 128Ki (1024), 1_000."""

import math
import re

from perfproof.core.errors import UsageError

FACTORS = {"": 1, "k": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
WRITTEN = re.compile(r"([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf(?:inity)?))\s*([A-Za-z]*)")


def parse_number(written: str, option: str, is_whole: bool) -> float | int:
    """UsageError names the option; a whole number may be written as 1e6, but not as 1.5."""
    found = WRITTEN.fullmatch(written.strip())
    unit = found[2] if found else ""
    factor = FACTORS.get(unit, FACTORS.get(unit.lower() if unit == "K" else unit.capitalize()))
    if found is None or factor is None:
        raise UsageError(f"{option} {written[:40]!r} is no number: write 131072, 1e6, 128k or 128Ki")
    value = float(found[1].replace("_", "")) * factor
    if not is_whole:
        return value
    if not math.isfinite(value):
        raise UsageError(f"{option} {written[:40]}: write a finite number")
    if value != round(value):
        raise UsageError(f"{option} {written[:40]}: write a whole number")
    return round(value)
