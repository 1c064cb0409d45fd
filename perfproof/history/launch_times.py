"""The time of one side in a saved run, as one value per launch: from the raw samples in its folder.

The sums are those of the verdict, so the mean of these values is the log of the figure beside the ratio. The unit is
the launch, as for ratios: processes of one interpreter share its layout. In a run with a single launch the couples are
the units, and what another layout would do is not in their spread.
"""

import gzip
import json
import math
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from perfproof.core.documents import CORRECTED, TargetResult
from perfproof.stats.quads import BASELINE, ProcessSummary, Quad, Sample, corrected_value, process_value, stay_value
from perfproof.stats.units import LEAST_UNITS, ProcessValue, couple_units, interval


class Timed(Protocol):
    """One sample as it was stored."""

    @property
    def process(self) -> tuple[int, ...]: ...  # launch, couple, slot
    @property
    def kind(self) -> str: ...  # which comparison it belongs to: the variant's name or "twin"
    @property
    def rung(self) -> str: ...
    @property
    def side(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    @property
    def valid(self) -> bool: ...
    @property
    def start_ns(self) -> int: ...
    @property
    def calls(self) -> int: ...


class Stored(NamedTuple):
    process: tuple[int, ...]
    kind: str
    rung: str
    side: str
    seconds: float
    valid: bool
    start_ns: int
    calls: int


def log_times(folder: Path, target: TargetResult, side: str, variant: str = "") -> list[float]:
    """Log seconds per call of a side, one value per launch; empty: unknown.

    The baseline's are those beside `variant`, by default the first of the target.
    """
    kind = (variant or next(iter(target.ratios), "")) if side == BASELINE else side
    if kind not in target.ratios:
        return []
    values = process_values(_stored(folder, target.samples), kind, target.ratios[kind].rung)
    by = "couple" if len({value.launch for value in values}) == 1 else "launch"
    baseline = couple_units(values, by=by, of="baseline")  # type: ignore[arg-type]
    if side == BASELINE:
        return baseline
    ratios = couple_units(values, by=by)  # type: ignore[arg-type]
    return [before - ratio for before, ratio in zip(baseline, ratios, strict=True)]


def process_values(samples: Sequence[Timed], kind: str, rung: str) -> list[ProcessValue]:
    """What each process says about one comparison as it was judged; none if the samples are not whole quads."""
    summarise: Callable[[Sequence[Quad]], ProcessSummary] = process_value
    if rung in CORRECTED.values():
        summarise = corrected_value
    if rung == "stay":
        summarise = stay_value
    own = [one for one in samples if one.kind == kind and len(one.process) == 3]
    measured = _measured_on(own, rung)
    processes: dict[tuple[int, ...], list[Timed]] = {}
    for one in own:
        if one.rung == measured:
            processes.setdefault(one.process, []).append(one)
    values = []
    for (launch, couple, slot), rows in processes.items():
        quads = [quad for at in range(0, len(rows), 4) if (quad := _quad(kind, rows[at : at + 4]))]
        if 4 * len(quads) != len(rows):
            return []
        values.append(ProcessValue(launch, couple, slot, *summarise(quads)))
    return values


def _measured_on(samples: Sequence[Timed], rung: str) -> str:
    """The rung that the samples name: what is worked out of samples is taken from the last that was measured."""
    rungs = list(dict.fromkeys(one.rung for one in samples))
    return rungs[-1] if rung in ("stay", *CORRECTED.values()) and rungs and rung not in rungs else rung


def mean_and_error(units: list[float]) -> tuple[float, float | None]:
    """Mean of the units, and its standard error; None below five units."""
    found = interval(units)
    if found.n < LEAST_UNITS or found.sd is None:
        return found.theta, None
    return found.theta, found.sd / math.sqrt(found.n)


def _quad(kind: str, four: Sequence[Timed]) -> Quad | None:
    try:
        first, second, third, fourth = (
            Sample(one.side, one.seconds, one.start_ns, 0, one.calls, one.valid) for one in four
        )
        return Quad(kind, (first, second, third, fourth))
    except ValueError:  # not four samples, or not two of each side
        return None


def _stored(folder: Path, samples: str | None) -> list[Stored]:
    """The stored samples in the order in which they ran; none if they were not kept or cannot be read."""
    if samples is None or Path(samples).is_absolute() or ".." in Path(samples).parts:
        return []
    try:
        text = gzip.decompress((folder / samples).read_bytes()).decode()
        rows = [json.loads(line) for line in text.splitlines()]
        return [_sample(row) for row in rows if isinstance(row, dict) and {"launch", "couple", "slot"} <= row.keys()]
    except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error):
        return []


def _sample(row: dict[str, Any]) -> Stored:
    seconds = float(row.get("seconds") or 0.0)
    return Stored(
        process=tuple(int(row[name]) for name in ("launch", "couple", "slot")),
        kind=str(row.get("kind", "")),
        rung=str(row.get("rung", "")),
        side=str(row.get("side", "")),
        seconds=seconds,
        valid=bool(row.get("valid")) and 0 < seconds < math.inf,
        start_ns=int(row.get("start_ns") or 0),
        calls=int(row.get("calls") or 0),
    )
