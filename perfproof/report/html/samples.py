"""The raw samples of a target, as the figures of the HTML report need them; what cannot be read is said."""

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from perfproof.core.documents import TargetResult

MOST_ROWS = 1_000_000
MOST_LINE = 64 * 1024

Process = tuple[int, ...]  # launch, couple, slot; of a whole program, its block


class Reading(NamedTuple):
    """One sample; there are many, and a named tuple is made three times as fast as a dataclass."""

    side: str
    value: float  # seconds per call; of a whole program what was judged: seconds, bytes or a metric
    valid: bool
    process: Process
    kind: str  # which comparison it belongs to: the variant's name or "twin"
    rung: str
    start_ns: int
    calls: int

    @property
    def seconds(self) -> float:
        return self.value


@dataclass(frozen=True)
class Samples:
    """All samples of a target in the order in which they ran; without any, why."""

    readings: tuple[Reading, ...] = ()
    why: str = ""

    def judged(self, target: TargetResult) -> tuple[Reading, ...]:
        """Those that the verdicts rest on: of the rung that was judged, without the baseline's twin."""
        rungs = {ratio.rung for ratio in target.ratios.values()}
        own = [one for one in self.readings if one.kind != "twin" and one.side != "twin"]
        return tuple(one for one in own if not one.rung or one.rung in rungs) or tuple(own)


def read_samples(folder: Path | None, target: TargetResult) -> Samples:
    if target.samples is None:
        return Samples(why="the run stored no samples of this target")
    if folder is None:
        return Samples(why="the run's folder is not here")
    path = folder / target.samples
    if not path.resolve().is_relative_to(folder.resolve()):
        return Samples(why="the document names a file outside the run's folder")
    try:
        found = [one for row in _rows(path) if (one := _reading(row, target))]
    except (OSError, EOFError, ValueError, zlib.error) as error:
        return Samples(why=f"{target.samples} cannot be read: {error}")
    if not found:
        return Samples(why=f"{target.samples} holds no samples of what was judged")
    return Samples(tuple(sorted(found, key=lambda one: one.start_ns)))


def _rows(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for number in range(MOST_ROWS + 1):
            line = file.readline(MOST_LINE)
            if not line:
                return
            if number == MOST_ROWS:
                raise ValueError(f"more than {MOST_ROWS:,} samples")
            yield json.loads(line)


def _reading(row: Any, target: TargetResult) -> Reading | None:
    """None for a row without a side or a positive value."""
    if not isinstance(row, dict) or not isinstance(row.get("side"), str):
        return None
    value = _judged_value(row, target)
    if not isinstance(value, int | float) or not 0 < value < math.inf:
        return None
    process = (_whole(row, "block"),) if "block" in row else tuple(_whole(row, k) for k in ("launch", "couple", "slot"))
    return Reading(
        side=row["side"],
        value=float(value),
        valid=row.get("valid") is not False,
        process=process,
        kind=str(row.get("kind", "")),
        rung=str(row.get("rung", "")),
        start_ns=_whole(row, "start_ns"),
        calls=_whole(row, "calls"),
    )


def _judged_value(row: dict[str, Any], target: TargetResult) -> Any:
    """A run of a whole program has several quantities; a sample of a pair has its time."""
    judged = next(iter(target.ratios.values()), None)
    if judged is None or not target.program:
        return row.get("seconds")
    if judged.claim == "metric":
        metrics = row.get("metrics")
        return metrics.get(judged.clock) if isinstance(metrics, dict) else None
    return row.get("peak_bytes" if judged.claim == "memory" else "cpu_seconds" if judged.clock == "cpu" else "seconds")


def _whole(row: dict[str, Any], key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) else 0


def quantile(ordered: Sequence[float], share: float) -> float:
    """By linear interpolation between the two nearest values of a sorted list."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def thinned(items: Sequence[Any], most: int) -> list[Any]:
    """Every k-th, evenly over the whole length."""
    step = max(1, math.ceil(len(items) / max(1, most)))
    return list(items[::step])
