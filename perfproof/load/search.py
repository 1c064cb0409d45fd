"""Find the highest rate within an SLO: climb until it is missed, halve the bracket, then measure around the crossing.

Near the crossing the misses grow as a power of the rate. That power law is fitted to the numbers of misses of the steps
near it, so that a step with a rare burst of misses counts as much as it should: the logarithm of each share would
forget it. The crossing is where the law reaches what is allowed; the worst limit decides.

The interval holds the crossings that a test does not reject. Misses come in bursts. Steps that happen to have few
bursts show too few misses and too little scatter, so an interval from the scatter that was seen (resampling blocks, for
one) is too short on its low side. The test takes the number of misses from the crossing under test, and only the size
of a burst from what was seen.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perfproof.load.slo import Attained

CLIMB = 1.7  # factor between rates while climbing
NARROW = 1.12  # the bracket is narrow enough to measure around its middle
AROUND = (0.96, 1.04, 0.98, 1.02)  # of the crossing, measured last
NEAR = 1.2  # steps within this factor of the crossing take part: farther away the law bends
MOST_STEPS = 16
CRITICAL = 2.5  # of the test; 2 would be 95 % if the size of a burst were known, and not estimated from few bursts
STEEPER = 2.0  # a crossing under test may change the slope by this factor
FARTHEST = math.log(2)  # an end of the interval is at most this far from the crossing
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
Point = tuple[float, float, float]  # of a step: the log of the rate, the misses, the misses that are allowed


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
        step = run(rate)
        if not step.passes and step.verdict == "open" and not enough():  # a burst of few requests, or the crossing
            step = run(rate)
        if step.passes:
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
    found = [one for one in _intervals(steps) if one is not None]
    if not found:
        return Found(math.sqrt(low * high), low, high, "the ends are rates that were measured")
    rate, low_end, high_end = (math.exp(min(ends)) for ends in zip(*found, strict=True))
    met = [one.rate for one in steps if one.verdict == "meets" and one.rate < rate / NEAR]
    missed = [one.rate for one in steps if one.verdict == "misses" and one.rate > rate * NEAR]
    return Found(rate, max([low_end, *met]), min([high_end, *missed]))  # steps too far for the law bound the interval


def crossing(steps: Sequence[Step]) -> float | None:
    """The rate at which the first limit is reached; None if nothing crosses near."""
    chosen = _near(steps)
    laws = [power_law(_points(chosen, term)) for term in range(len(steps[0].terms))]
    reached = [law[0] for law in laws if law is not None]
    return math.exp(_within(chosen, min(reached))) if reached else None


def _near(steps: Sequence[Step]) -> list[Step]:
    """The steps around the crossing, three at least. An aborted step shows a server that was falling behind."""
    middle = _middle(steps)
    near = sorted((one for one in steps if not one.aborted), key=lambda one: abs(math.log(one.rate) - middle))
    return [one for at, one in enumerate(near) if at < 3 or abs(math.log(one.rate) - middle) <= math.log(NEAR)]


def _within(chosen: Sequence[Step], place: float) -> float:
    """A crossing lies hardly outside of the rates that were measured."""
    rates = [math.log(one.rate) for one in chosen]
    return min(max(place, min(rates) - 0.1), max(rates) + 0.1)


def _points(chosen: Sequence[Step], term: int) -> list[Point]:
    own = [(math.log(one.rate), one.terms[term]) for one in chosen]
    return [(x, float(sum(one.misses)), sum(one.counts) * (1 - one.quantile)) for x, one in own]


def _intervals(steps: Sequence[Step]) -> list[tuple[float, float, float] | None]:
    """For each limit the log of the rate that crosses it, and the lowest and highest log that the test accepts."""
    chosen, found = _near(steps), list[tuple[float, float, float] | None]()
    for term in range(len(steps[0].terms)):
        points = _points(chosen, term)
        law = power_law(points)
        if law is None:
            found.append(None)
            continue
        burst = _burst([one.terms[term] for one in chosen], points, law)
        place = _within(chosen, law[0])
        low, high = (_end(points, place, law[1], burst, side) for side in (-1, 1))
        found.append((place, low, high))
    return found


def _burst(own: Sequence[Attained], points: Sequence[Point], law: tuple[float, float]) -> float:
    """How many times more than single misses the misses scatter around the law, between blocks or pairs of them."""
    found = [1.0]
    for width in (1, 2):  # a burst may be longer than a block
        squares = expected = blocks = 0.0
        for one, (x, _, allowed) in zip(own, points, strict=True):
            share = allowed * _growth(law[1] * (x - law[0])) / max(1, sum(one.counts))
            for at in range(0, len(one.counts), width):
                wanted = share * sum(one.counts[at : at + width])
                squares += (sum(one.misses[at : at + width]) - wanted) ** 2
                expected, blocks = expected + wanted, blocks + 1
        found.append(squares / expected * blocks / (blocks - 2) if expected else 1.0)
    return max(found)


def _end(points: Sequence[Point], place: float, slope: float, burst: float, side: int) -> float:
    inside, outside = 0.0, 0.02
    while outside < FARTHEST and _stands(points, place + side * outside, slope, burst):
        inside, outside = outside, outside * 1.5
    outside = min(outside, FARTHEST)
    for _ in range(10):
        middle = (inside + outside) / 2
        stands = _stands(points, place + side * middle, slope, burst)
        inside, outside = (middle, outside) if stands else (inside, middle)
    return place + side * outside


def _stands(points: Sequence[Point], place: float, slope: float, burst: float) -> bool:
    """Score test of a crossing: are the misses as many as a law through it expects, with the best slope for it?"""
    flattest, steepest, best = slope / STEEPER, slope * STEEPER, slope
    for _ in range(40):
        _, tilt, _, _, bend = _sums(points, place, 0.0, best)
        better = min(max(best + min(max(tilt / max(bend, 1e-12), -2.0), 2.0), flattest), steepest)
        best, moved = better, abs(better - best)
        if moved < 1e-5:
            break
    score, _, a, b, c = _sums(points, place, 0.0, best)
    variance = a - b * b / c if flattest < best < steepest and c > 1e-12 else a
    return score**2 <= CRITICAL**2 * burst * max(variance, 1e-12)


def power_law(points: Sequence[Point]) -> tuple[float, float] | None:
    """Where misses = allowed, as a log of the rate, and the power; by Poisson regression. None if they do not grow."""
    missed, allowed = sum(one[1] for one in points), sum(one[2] for one in points)
    if not missed or len({one[0] for one in points}) < 2:
        return None
    centre = sum(one[0] for one in points) / len(points)
    level, slope = math.log(missed / allowed), 3.0
    for _ in range(50):
        score, tilt, a, b, c = _sums(points, centre, level, slope)
        size = a * c - b * b
        if not size > 1e-12:
            return None
        up, turn = (min(max(part / size, -2.0), 2.0) for part in (c * score - b * tilt, a * tilt - b * score))
        level, slope = level + up, slope + turn
        if max(abs(up), abs(turn)) < 1e-6:
            break
    return (centre - level / slope, slope) if slope > 0.1 else None


def _sums(points: Sequence[Point], centre: float, level: float, slope: float) -> tuple[float, ...]:
    """Of a law: misses beyond it, those times the place, and the expected ones with the place to the powers 0, 1, 2."""
    score = tilt = a = b = c = 0.0
    for x, missed, allowed in points:  # plain floats: arrays of a few points cost several times as much
        at = x - centre
        expected = allowed * _growth(level + slope * at)
        score, tilt = score + missed - expected, tilt + (missed - expected) * at
        a, b, c = a + expected, b + expected * at, c + expected * at * at
    return score, tilt, a, b, c


def _growth(power: float) -> float:
    return math.exp(min(max(power, -50.0), 50.0))


def _middle(steps: Sequence[Step]) -> float:
    """Between the highest rate that passes and the lowest that does not."""
    good = [math.log(one.rate) for one in steps if one.passes]
    bad = [math.log(one.rate) for one in steps if not one.passes]
    return (max(good) + min(bad)) / 2 if good and bad else (max(good) if good else min(bad))
