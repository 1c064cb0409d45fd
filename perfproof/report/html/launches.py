"""The ratio of every launch, worked out again from the raw samples: what the report shows can be followed to the clock.

The intervals of single launches cover the noise inside that launch only. If the samples do not give the stored ratios
again (a file that was changed), the report says so and shows the stored ones. Ratios from before totals were compared
are shown as they are stored.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from perfproof.core.documents import CORRECTED, RatioResult
from perfproof.core.ratio_figures import has_figures
from perfproof.history.launch_times import process_values
from perfproof.report.figures.forest import Estimate
from perfproof.report.html.samples import Reading
from perfproof.stats.units import ProcessValue, couple_units, unit_processes

AGREES = 1e-6  # of a log-ratio: the documents keep every digit


@dataclass(frozen=True)
class Launches:
    estimates: tuple[Estimate, ...]
    recomputed: bool  # from the raw samples, with the stored ratios as the result
    differ: bool = False  # the samples say something else than the document


def launches_of(judged: RatioResult, variant: str, readings: Sequence[Reading]) -> Launches:
    """One estimate for each unit of the document, with an interval where the samples give the same ratio."""
    stored = judged.units
    labels = [f"{_unit_name(judged)} {number + 1}" for number in range(len(stored))]
    plain = tuple(Estimate(label, math.exp(unit)) for label, unit in zip(labels, stored, strict=True))
    values = process_values(readings, variant, judged.rung) if _can_be_repeated(judged) else []
    if not values or not stored:
        return Launches(plain, recomputed=False)
    by_couple = judged.launches == 1
    again = couple_units(values, by="couple" if by_couple else "launch")
    if len(again) != len(stored) or any(abs(a - b) > AGREES for a, b in zip(again, stored, strict=True)):
        return Launches(plain, recomputed=False, differ=True)
    errors = _errors(values, by_couple)
    reach = NormalDist().inv_cdf(0.5 + judged.level / 2)
    estimates = [
        Estimate(label, math.exp(unit), math.exp(unit - reach * error), math.exp(unit + reach * error))
        if math.isfinite(error)
        else Estimate(label, math.exp(unit))
        for label, unit, error in zip(labels, again, errors, strict=True)
    ]
    return Launches(tuple(estimates), recomputed=True)


def _can_be_repeated(judged: RatioResult) -> bool:
    """Does this arithmetic give the ratio? Not that of older documents, and of whole programs."""
    ways = ("plain", "stay", "in-turn", *CORRECTED.values())
    return judged.claim == "time" and judged.rung in ways and has_figures(judged)


def _unit_name(judged: RatioResult) -> str:
    if judged.rung == "programs":
        return "block"
    return "couple" if judged.launches == 1 else "launch"


def _errors(values: Sequence[ProcessValue], by_couple: bool) -> list[float]:
    """Standard error of each unit: a mean over its processes. A couple that lacks a process gives no unit."""
    groups: dict[tuple[int, ...], list[float]] = {}
    for (launch, couple), processes in sorted(unit_processes(values).items()):
        if not any(math.isnan(one.value) for one in processes):
            group = groups.setdefault((launch, couple) if by_couple else (launch,), [])
            group += [one.standard_error for one in processes]
    return [math.sqrt(math.fsum(error**2 for error in errors)) / len(errors) for errors in groups.values()]
