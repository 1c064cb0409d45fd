"""Find the highest rate within an SLO: climb until it is missed, halve the bracket, then measure around the crossing.

Near the crossing the misses grow as a power of the rate. That power law is fitted to the numbers of misses of the steps
near it, so that a step with a rare burst of misses counts as much as it should: the logarithm of each share would
forget it. The crossing is where the law reaches what is allowed; the worst limit decides. The interval comes from
resampling the blocks of time of every step.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy

from perfproof.load.slo import Attained

CLIMB = 1.7  # factor between rates while climbing
NARROW = 1.12  # the bracket is narrow enough to measure around its middle
AROUND = (0.96, 1.04, 0.98, 1.02)  # of the crossing, measured last
NEAR = 1.5  # steps within this factor of the crossing take part in the line
MOST_STEPS = 16
RESAMPLES = 200
WIDER = 1.3  # resamples of ten blocks are too narrow; chosen on an M/M/1 queue, not tried on others
LEAST_RATE, MOST_RATE = 1e-3, 1e6


@dataclass(frozen=True)
class Step:
    rate: float
    terms: tuple[Attained, ...]
    aborted: str = ""  # ended early, because it was clear that the rate is too high

    @property
    def verdict(self) -> str:
        if self.aborted:
            return "misses"
        found = {one.verdict for one in self.terms}
        return "misses" if "misses" in found else "open" if "open" in found else "meets"

    @property
    def passes(self) -> bool:
        """By the point estimate: where to go next."""
        return not self.aborted and all(one.share >= one.quantile for one in self.terms)


@dataclass(frozen=True)
class Found:
    rate: float | None
    low: float | None
    high: float | None
    note: str = ""


Measure = Callable[[float], Step]


def search(measure: Measure, first: float, enough: Callable[[], bool] = lambda: False) -> tuple[Found, list[Step]]:
    """`measure` runs one rate; `enough` says that no more steps are wanted."""
    steps: list[Step] = []

    def run(rate: float) -> Step:
        steps.append(measure(rate))
        return steps[-1]

    low, high = _bracket(run, first, enough)
    while low and high and high / low > NARROW and len(steps) < MOST_STEPS and not enough():
        middle = math.sqrt(low * high)
        low, high = (middle, high) if run(middle).passes else (low, middle)
    if low and high:
        for factor in AROUND:
            if len(steps) >= MOST_STEPS or enough():
                break
            run((crossing(steps) or math.sqrt(low * high)) * factor)
    return conclude(steps, low, high), steps


def _bracket(run: Measure, first: float, enough: Callable[[], bool]) -> tuple[float | None, float | None]:
    """A rate that passes and one above it that does not, by climbing or by going down."""
    low = high = None
    rate = first
    while LEAST_RATE < rate < MOST_RATE and (low is None or high is None):
        if run(rate).passes:
            low, rate = rate, rate * CLIMB
        else:
            high, rate = rate, rate / CLIMB
        if enough():
            break
    return low, high


def conclude(steps: Sequence[Step], low: float | None, high: float | None) -> Found:
    if low is None:
        return Found(None, None, None, "no rate that was tried met the SLO")
    if high is None:
        return Found(None, low, None, "every rate that was tried met the SLO")
    rate = crossing(steps)
    if rate is None:
        return Found(math.sqrt(low * high), low, high, "the ends are rates that were measured")
    rng = numpy.random.default_rng(0)
    found = [crossing(steps, rng, around=rate) for _ in range(RESAMPLES)]
    kept = [one for one in found if one is not None]
    if len(kept) < RESAMPLES / 2:
        return Found(rate, low, high, "the ends are rates that were measured")
    low_end, high_end = (float(numpy.quantile(kept, share)) for share in (0.025, 0.975))
    below, above = max(1.0, rate / low_end), max(1.0, high_end / rate)
    return Found(rate, rate / below**WIDER, rate * above**WIDER)


def crossing(
    steps: Sequence[Step], rng: numpy.random.Generator | None = None, around: float | None = None
) -> float | None:
    """The rate at which the first limit is reached; with `rng` in a resample. None if nothing crosses near."""
    middle = math.log(around) if around else _middle(steps)
    whole = [one for one in steps if not one.aborted]  # an aborted step shows a server that was falling behind
    near = sorted(whole, key=lambda one: abs(math.log(one.rate) - middle))
    chosen = [one for at, one in enumerate(near) if at < 3 or abs(math.log(one.rate) - middle) <= math.log(NEAR)]
    if len({one.rate for one in chosen}) < 2:
        return None
    x = numpy.array([math.log(one.rate) for one in chosen])
    drawn = [_drawn(one.terms[0].counts, rng) for one in chosen]
    found = []
    for term in range(len(chosen[0].terms)):
        own = [one.terms[term] for one in chosen]
        counts = numpy.array([(numpy.array(one.counts) * w).sum() for one, w in zip(own, drawn, strict=True)], float)
        misses = numpy.array([(numpy.array(one.misses) * w).sum() for one, w in zip(own, drawn, strict=True)], float)
        found.append(power_law(x, misses, counts * (1 - own[0].quantile)))
    reached = [one for one in found if one is not None]
    if not reached:
        return None
    return math.exp(min(max(min(reached), float(x.min()) - 0.1), float(x.max()) + 0.1))


def _drawn(counts: Sequence[int], rng: numpy.random.Generator | None) -> numpy.ndarray:
    """How often each block counts: once, or as drawn."""
    used = [at for at, count in enumerate(counts) if count]
    if rng is None:
        return numpy.ones(len(counts))
    return numpy.bincount(rng.choice(used, len(used)), minlength=len(counts))


def power_law(x: numpy.ndarray, misses: numpy.ndarray, allowed: numpy.ndarray) -> float | None:
    """The log of the rate at which misses = allowed, by Poisson regression; None if they do not grow with the rate."""
    if misses.sum() == 0 or len(x) < 2:
        return None
    centre = float(x.mean())
    points = list(zip((x - centre).tolist(), misses.tolist(), allowed.tolist(), strict=True))
    level, slope = math.log(misses.sum() / allowed.sum()), 3.0
    for _ in range(50):  # plain floats: arrays of a few points cost several times as much
        a = b = c = score = tilt = 0.0
        for at, missed, may in points:
            expected = may * math.exp(min(max(level + slope * at, -50.0), 50.0))
            rest = missed - expected
            score, tilt = score + rest, tilt + rest * at
            a, b, c = a + expected, b + expected * at, c + expected * at**2
        size = a * c - b * b
        if not size > 1e-12:
            return None
        up, turn = (min(max(part / size, -2.0), 2.0) for part in (c * score - b * tilt, a * tilt - b * score))
        level, slope = level + up, slope + turn
        if max(abs(up), abs(turn)) < 1e-6:
            break
    return centre - level / slope if slope > 0.1 else None


def _middle(steps: Sequence[Step]) -> float:
    """Between the highest rate that passes and the lowest that does not."""
    good = [math.log(one.rate) for one in steps if one.passes]
    bad = [math.log(one.rate) for one in steps if not one.passes]
    return (max(good) + min(bad)) / 2 if good and bad else (max(good) if good else min(bad))
