"""The ratio of every launch, worked out again from the raw samples: what the report shows can be followed to the clock.

The intervals of single launches cover the noise inside that launch only. Where the samples do not give the stored
ratios again (another rung's arithmetic, a file that was changed), the report says so and shows the stored ones.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from perfproof.core.documents import RatioResult
from perfproof.report.figures.forest import Estimate
from perfproof.report.html_samples import Reading
from perfproof.stats.quads import Quad, Sample, process_value, stay_value
from perfproof.stats.units import ProcessValue, couple_units

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
    values = _process_values(readings, variant, judged.rung)
    if judged.claim != "time" or judged.rung in ("programs", "in-turn") or not values or not stored:
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


def _unit_name(judged: RatioResult) -> str:
    if judged.rung == "programs":
        return "block"
    return "couple" if judged.launches == 1 else "launch"


def _process_values(readings: Sequence[Reading], variant: str, rung: str) -> list[ProcessValue]:
    summarise: Callable = stay_value if rung == "stay" else process_value
    processes: dict[tuple[int, ...], list[Reading]] = {}
    for one in readings:
        if one.kind == variant and one.rung == rung and len(one.process) == 3:
            processes.setdefault(one.process, []).append(one)
    values = []
    for (launch, couple, slot), own in processes.items():
        quads = [_quad(variant, own[at : at + 4]) for at in range(0, len(own), 4)]
        if None in quads:
            return []
        values.append(ProcessValue(launch, couple, slot, *summarise(quads)))
    return values


def _quad(variant: str, four: Sequence[Reading]) -> Quad | None:
    try:
        samples = [Sample(one.side, one.seconds, one.start_ns, 0, one.calls, one.valid) for one in four]
        first, second, third, fourth = samples
        return Quad(variant, (first, second, third, fourth))
    except ValueError:  # not four samples, or not two of each side
        return None


def _errors(values: Sequence[ProcessValue], by_couple: bool) -> list[float]:
    """Standard error of each unit: a mean over its processes. A couple that lacks a process gives no unit."""
    couples: dict[tuple[int, int], list[ProcessValue]] = {}
    for value in sorted(values, key=lambda one: (one.launch, one.couple)):
        if not math.isnan(value.value):
            couples.setdefault((value.launch, value.couple), []).append(value)
    groups: dict[tuple[int, ...], list[float]] = {}
    for (launch, couple), both in couples.items():
        if len(both) == 2:
            group = groups.setdefault((launch, couple) if by_couple else (launch,), [])
            group += [one.standard_error for one in both]
    return [math.sqrt(math.fsum(error**2 for error in errors)) / len(errors) for errors in groups.values()]
