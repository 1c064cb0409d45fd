"""From processes to units, and from units to an interval.

Forks of one interpreter share its layout, and what is created first is placed differently. So the unit is the launch,
and inside it processes come in couples that swap the slots:

    c_j = (y_j+ + y_j-)/2      u_g = mean of c_j over the couples of launch g      theta = mean u_g -/+ t s/sqrt(n)

Where calls take seconds a launch has one process, u_g is its value, and the slots alternate from launch to launch.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from perfproof.stats.student import two_sided

LEVEL = 0.97
LEAST_UNITS = 5  # fewer give no interval
PLACEMENT_LIMIT = 0.02  # a slot effect surely beyond this is worth a warning


@dataclass(frozen=True)
class ProcessValue:
    launch: int
    couple: int  # within the launch
    slot: int  # +1 or -1: which side was created, prepared and warmed up first
    value: float  # log(total of A / total of B) over the valid quads; NaN if there is none
    standard_error: float
    valid: int  # quads
    total: int
    baseline: float = math.nan  # log of the baseline's mean seconds per call, over the same quads
    typical: float = math.nan  # median log-ratio of the quads


@dataclass(frozen=True)
class Interval:
    """theta -/+ half_width; below five units there is neither a half width nor an end.

    Five or more identical units give a half width of 0: the clock's tick hides their spread. The systematic band, which
    contains the tick, still stands between such an interval and a verdict.
    """

    theta: float
    low: float | None
    high: float | None
    half_width: float | None
    sd: float | None  # of the units; None for a single one
    n: int

    def widened(self, bias: float) -> "Interval":
        """The interval with a systematic error of up to `bias` on both sides."""
        if self.low is None or self.high is None or self.half_width is None:
            return self
        return replace(self, low=self.low - bias, high=self.high + bias, half_width=self.half_width + bias)


Figure = Literal["value", "baseline", "typical"]


def couple_units(
    values: Iterable[ProcessValue], by: Literal["launch", "couple"] = "launch", of: Figure = "value"
) -> list[float]:
    """One number per launch (or per couple of a single launch); a couple with a process missing is dropped."""
    launches: dict[int, list[float]] = {}
    for (launch, _), processes in sorted(unit_processes(values).items()):
        found = [getattr(process, of) for process in processes]
        if not any(map(math.isnan, found)):
            launches.setdefault(launch, []).append(math.fsum(found) / len(found))
    if by == "couple":
        return [couple for couples in launches.values() for couple in couples]
    return [math.fsum(couples) / len(couples) for couples in launches.values()]


def slot_effect(values: Iterable[ProcessValue], level: float = LEVEL) -> tuple[float | None, float | None]:
    """(mean, half width) of what the order of creation moves; balanced out of the units, shown beside them."""
    both = [processes for processes in unit_processes(values).values() if len(processes) == 2]
    halves = [half for plus, minus in both if not math.isnan(half := (plus.value - minus.value) / 2)]
    if not halves:
        return None, None
    effect = interval(halves, level)
    return effect.theta, effect.half_width


def placement_sensitive(values: Iterable[ProcessValue]) -> bool:
    effect, half_width = slot_effect(values)
    return effect is not None and half_width is not None and abs(effect) - half_width > PLACEMENT_LIMIT


def interval(units: Sequence[float], level: float = LEVEL) -> Interval:
    """Student's t over units; ValueError without any."""
    n = len(units)
    if n == 0:
        raise ValueError("no units: nothing was measured to the end")
    theta = math.fsum(units) / n
    if n == 1:
        return Interval(theta, None, None, None, None, n)
    sd = math.sqrt(math.fsum((unit - theta) ** 2 for unit in units) / (n - 1))
    if n < LEAST_UNITS:
        return Interval(theta, None, None, None, sd, n)
    half_width = two_sided(level, n - 1) * sd / math.sqrt(n)
    return Interval(theta, theta - half_width, theta + half_width, half_width, sd, n)


def unit_processes(values: Iterable[ProcessValue]) -> dict[tuple[int, int], list[ProcessValue]]:
    """(launch, couple) -> its processes, slot + first: two each, or one each if no couple has two."""
    slots: dict[tuple[int, int], dict[int, ProcessValue]] = {}
    for value in values:
        couple = slots.setdefault((value.launch, value.couple), {})
        if value.slot in couple:
            raise ValueError(f"couple {value.couple} of launch {value.launch} has slot {value.slot:+d} twice")
        couple[value.slot] = value
    most = max(map(len, slots.values()), default=0)
    return {
        key: [couple[slot] for slot in (1, -1) if slot in couple]
        for key, couple in slots.items()
        if len(couple) == most
    }
