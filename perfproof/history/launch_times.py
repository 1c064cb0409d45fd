"""The time of one side in a saved run, as one value for each launch: from the raw samples in its folder.

The unit is the launch, as for ratios: processes of one interpreter share its layout. Of a run with a single launch the
couples are the units, and what another layout would do is not in their spread.
"""

import gzip
import json
import math
import zlib
from pathlib import Path
from statistics import fmean, median
from typing import Any

from perfproof.core.documents import TargetResult
from perfproof.stats.units import LEAST_UNITS, interval


def log_times(folder: Path, target: TargetResult, side: str, rung: str) -> list[float]:
    """Log seconds a call of a side, one for each launch, by the samples of the rung that was judged; empty: unknown."""
    processes: dict[tuple[int, int, int], list[float]] = {}
    for row in _rows(folder, target.samples):
        if row.get("side") == side and row.get("rung") == rung and row.get("valid") and row.get("seconds", 0) > 0:
            process = (row["launch"], row["couple"], row["slot"])
            processes.setdefault(process, []).append(math.log(row["seconds"]))
    by_couple = len({launch for launch, _, _ in processes}) == 1
    units: dict[Any, list[float]] = {}
    for (launch, couple, _), values in processes.items():
        units.setdefault(couple if by_couple else launch, []).append(median(values))
    return [fmean(values) for _, values in sorted(units.items())]


def mean_and_error(units: list[float]) -> tuple[float, float | None]:
    """Mean of the units, and its standard error; None below five units."""
    found = interval(units)
    if found.n < LEAST_UNITS or found.sd is None:
        return found.theta, None
    return found.theta, found.sd / math.sqrt(found.n)


def _rows(folder: Path, samples: str | None) -> list[dict[str, Any]]:
    """The stored samples; none where they were not kept or cannot be read."""
    if samples is None or Path(samples).is_absolute() or ".." in Path(samples).parts:
        return []
    try:
        text = gzip.decompress((folder / samples).read_bytes()).decode()
        rows = [json.loads(line) for line in text.splitlines()]
    except (OSError, EOFError, ValueError, zlib.error):
        return []
    return [row for row in rows if isinstance(row, dict) and {"launch", "couple", "slot"} <= row.keys()]
