"""Where a series of measurements changed: steps, drifts, and what to watch. Pure, and made to keep quiet.

Values are logarithms (of a ratio, of a time, of a time over a canary's), so a shift is a share. The noise is read from
neighbouring differences, which a step hardly moves; single spikes are clipped; a step has to be both significant and
large against the noise; where a straight line explains a stretch better than the steps in it, it is a drift.

    noise     1.4826 median |difference| / sqrt 2
    clipped   to the median of 7 neighbours +- 2.5 noises
    step      binary segmentation on the largest |Z|: at least 4 points a side, Z > 6.5, shift > 1.5 noises
    drift     BIC of a line below the BIC of the steps, stretch by stretch from the inside out
    watch     a shift within the last 3 points: too few to call it anything
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, median
from typing import Literal

from perfproof.stats.student import two_sided

LEAST = 4  # points on each side of a step
Z_LIMIT, SHIFT_LIMIT = 6.5, 1.5  # standard errors, noises
WINDOW, CLIP = 7, 2.5
STEP_PRICE = 4.0
LATE, LATE_LIMIT, LATE_ALONE = 3, 3.0, 5.0  # the last points, and how far (in noises) several or one have to lie off
LEVEL = 0.97
MOST_CORRELATION = 0.6


@dataclass(frozen=True)
class Change:
    """One change: a step at `at` (the first point after it), a drift from `at` up to `end`, or a point to watch."""

    kind: Literal["step", "drift", "watch"]
    at: int
    end: int
    shift: float  # logarithmic; of a drift: along the whole of its line
    low: float  # of the shift, given its place
    high: float


@dataclass(frozen=True)
class Stretch:
    """Points between two changes: a level, or a line where `slope` is not 0."""

    start: int
    end: int
    level: float  # at the first point
    slope: float = 0.0  # a point


@dataclass(frozen=True)
class Analysis:
    noise: float
    stretches: list[Stretch]
    changes: list[Change]


def find_changes(values: Sequence[float]) -> Analysis:
    """The stretches of a series and the changes between them, in order; the last points only to be watched."""
    if not values:
        return Analysis(0.0, [], [])
    noise = noise_of(values)
    clipped = clip(values, noise)
    stretches = _without_late_step(_Sums(clipped), len(values), noise)
    changes = [*_steps(clipped, stretches), *_drifts(clipped, stretches)]
    return Analysis(noise, stretches, [*sorted(changes, key=lambda one: one.at), *_watch(values, stretches, noise)])


def noise_of(values: Sequence[float]) -> float:
    """The spread of single points, from neighbouring differences; never 0, or rounding would be a change."""
    differences = [after - before for before, after in pairwise(values)]
    if not differences:
        return 1e-9
    spread = 1.4826 * median(abs(one) for one in differences)  # about 0: of a zigzag, all are equally far from it
    if spread == 0:  # more than half of the differences are none: recorded coarsely
        spread = math.sqrt(fmean(one**2 for one in differences))
    return max(spread / math.sqrt(2), 1e-9)


def clip(values: Sequence[float], noise: float) -> list[float]:
    half, reach = WINDOW // 2, CLIP * noise
    found = []
    for at, value in enumerate(values):
        middle = median(values[max(0, at - half) : at + half + 1])
        found.append(min(max(value, middle - reach), middle + reach))
    return found


class _Sums:
    """Sums of a series up to every point: mean, scatter and line of any stretch without reading it again."""

    def __init__(self, values: Sequence[float]):
        offset = fmean(values)
        self.offset, self.y, self.yy, self.ty = offset, [0.0], [0.0], [0.0]
        for at, value in enumerate(values):
            centred = value - offset
            self.y.append(self.y[-1] + centred)
            self.yy.append(self.yy[-1] + centred * centred)
            self.ty.append(self.ty[-1] + at * centred)

    def mean(self, a: int, b: int) -> float:
        return self.offset + (self.y[b] - self.y[a]) / (b - a)

    def scatter(self, a: int, b: int) -> float:
        """Squared distances from the mean."""
        total = self.y[b] - self.y[a]
        return max(0.0, self.yy[b] - self.yy[a] - total * total / (b - a))

    def slope(self, a: int, b: int) -> float:
        count = b - a
        middle = (a + b - 1) / 2
        spread = count * (count * count - 1) / 12
        return (self.ty[b] - self.ty[a] - middle * (self.y[b] - self.y[a])) / spread if spread else 0.0

    def line_scatter(self, a: int, b: int) -> float:
        """Squared distances from the best line."""
        count = b - a
        return max(0.0, self.scatter(a, b) - self.slope(a, b) ** 2 * count * (count * count - 1) / 12)

    def z(self, a: int, k: int, b: int, noise: float) -> float:
        return abs(self.mean(a, k) - self.mean(k, b)) / (noise * math.sqrt(1 / (k - a) + 1 / (b - k)))


def _without_late_step(model: _Sums, count: int, noise: float) -> list[Stretch]:
    """The stretches. A shift of the last 3 points is neither a step 4 points before the end, nor a drift of all."""
    stretches = _stretches(model, count, noise)
    if not stretches[-1].slope and (len(stretches) < 2 or stretches[-2].slope):
        return stretches
    start = stretches[-1 if stretches[-1].slope else -2].start
    strongest = max(range(start + LEAST, count), key=lambda place: model.z(start, place, count, noise))
    if strongest <= count - LEAST:
        return stretches
    *earlier, last = _stretches(model, strongest, noise)
    return [*earlier, replace(last, end=count)]


def _stretches(model: _Sums, count: int, noise: float) -> list[Stretch]:
    return _joined(model, _refined(model, _segment(model, 0, count, noise), noise), noise)


def _segment(model: _Sums, a: int, b: int, noise: float) -> list[Stretch]:
    """The stretches of [a, b): split at the strongest step, each part again; then a line, if that says it better."""
    k = _best(model, a, b, noise)
    if k is None:
        return [Stretch(a, b, model.mean(a, b))]
    steps = _segment(model, a, k, noise) + _segment(model, k, b, noise)
    if _bic_of_line(model, a, b, noise) < sum(_bic(model, one, noise) for one in steps) + _price(len(steps) - 1, b - a):
        return [_line(model, a, b)]
    return steps


def _best(model: _Sums, a: int, b: int, noise: float) -> int | None:
    places = range(a + LEAST, b - LEAST + 1)
    k = max(places, key=lambda place: model.z(a, place, b, noise), default=None)
    return k if k is not None and _stands(model, a, k, b, noise) else None


def _stands(model: _Sums, a: int, k: int, b: int, noise: float) -> bool:
    shift = abs(model.mean(a, k) - model.mean(k, b))
    return model.z(a, k, b, noise) > Z_LIMIT and shift > SHIFT_LIMIT * noise


def _refined(model: _Sums, stretches: list[Stretch], noise: float) -> list[Stretch]:
    """Every step looked for again between its neighbours: the first cut was made with later steps still in sight."""
    found = list(stretches)
    for at in range(len(found) - 1):
        left, right = found[at], found[at + 1]
        if left.slope or right.slope:
            continue
        k = _best(model, left.start, right.end, noise)
        if k is not None:
            found[at] = Stretch(left.start, k, model.mean(left.start, k))
            found[at + 1] = Stretch(k, right.end, model.mean(k, right.end))
    return found


def _joined(model: _Sums, stretches: list[Stretch], noise: float) -> list[Stretch]:
    """Without the steps that no longer stand between their neighbours."""
    found = stretches[:1]
    for right in stretches[1:]:
        left = found[-1]
        if not (left.slope or right.slope) and not _stands(model, left.start, right.start, right.end, noise):
            found[-1] = Stretch(left.start, right.end, model.mean(left.start, right.end))
        else:
            found.append(right)
    return found


def _line(model: _Sums, a: int, b: int) -> Stretch:
    slope = model.slope(a, b)
    return Stretch(a, b, model.mean(a, b) - slope * (b - a - 1) / 2, slope)


def _bic(model: _Sums, one: Stretch, noise: float) -> float:
    """Lack of fit and parameters of one stretch, in the noise's own unit: no step may shrink the noise for itself."""
    if one.slope:
        return _bic_of_line(model, one.start, one.end, noise)
    return model.scatter(one.start, one.end) / noise**2


def _bic_of_line(model: _Sums, a: int, b: int, noise: float) -> float:
    return model.line_scatter(a, b) / noise**2 + math.log(b - a)


def _price(steps: int, count: int) -> float:
    """Of the freedom to choose steps. BIC asks 2 log n each (how far, where): wiggles of a drift would be steps."""
    return STEP_PRICE * steps * math.log(count)


def _steps(values: Sequence[float], stretches: list[Stretch]) -> list[Change]:
    found = []
    for left, right in pairwise(stretches):
        before = left.level + left.slope * (left.end - left.start - 1)
        shift = right.level - before
        reach = _reach(values, left, right)
        if not (left.slope or right.slope) or abs(shift) > reach:
            found.append(Change("step", right.start, right.start, shift, shift - reach, shift + reach))
    return found


def _drifts(values: Sequence[float], stretches: list[Stretch]) -> list[Change]:
    found = []
    for one in stretches:
        if not one.slope:
            continue
        count = one.end - one.start
        residuals = _residuals(values, one)
        deviation = _deviation(residuals, 2)
        reach = two_sided(LEVEL, count - 2) * deviation * (count - 1) / math.sqrt(count * (count * count - 1) / 12)
        shift = one.slope * (count - 1)
        found.append(Change("drift", one.start, one.end, shift, shift - reach, shift + reach))
    return found


def _reach(values: Sequence[float], left: Stretch, right: Stretch) -> float:
    residuals = [_residuals(values, left), _residuals(values, right)]
    deviation = _deviation([one for part in residuals for one in part], 2)
    counts = [len(part) for part in residuals]
    wider = 2.0 if left.slope or right.slope else 1.0  # the end of a line is known half as well as a level
    return two_sided(LEVEL, sum(counts) - 2) * deviation * wider * math.sqrt(1 / counts[0] + 1 / counts[1])


def _residuals(values: Sequence[float], one: Stretch) -> list[float]:
    return [values[at] - one.level - one.slope * (at - one.start) for at in range(one.start, one.end)]


def _deviation(residuals: Sequence[float], fitted: int) -> float:
    """The spread around the fit, larger where neighbours resemble each other: then they count as fewer points."""
    total = sum(one * one for one in residuals)
    if total == 0:
        return 0.0
    correlation = sum(before * after for before, after in pairwise(residuals)) / total
    correlation = min(max(correlation, 0.0), MOST_CORRELATION)
    return math.sqrt(total / max(1, len(residuals) - fitted) * (1 + correlation) / (1 - correlation))


def _watch(values: Sequence[float], stretches: list[Stretch], noise: float) -> list[Change]:
    """The longest run of last points, of 3 at most, that all lie off to one side."""
    last = stretches[-1]
    for count in range(LATE, 0, -1):
        start = len(values) - count
        if start - last.start < LEAST:
            continue
        usual = median(values[last.start : start]) if not last.slope else None
        off = [values[at] - (usual if usual is not None else _on_line(last, at)) for at in range(start, len(values))]
        limit = noise * (LATE_ALONE if count == 1 else LATE_LIMIT)
        if all(one > limit for one in off) or all(one < -limit for one in off):
            reach = two_sided(LEVEL, max(1, start - last.start - 1)) * noise / math.sqrt(count)
            return [Change("watch", start, len(values), fmean(off), fmean(off) - reach, fmean(off) + reach)]
    return []


def _on_line(one: Stretch, at: int) -> float:
    return one.level + one.slope * (at - one.start)
