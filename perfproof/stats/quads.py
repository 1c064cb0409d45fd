"""Samples in quads: how two sides alternate inside one process, and what one process then says.

A is the baseline; B is a variant, or the twin (the baseline loaded a second time as its own object). Most samples
follow their own kind and some the other, so what a switch costs can be told from what a side costs. Logs are natural,
and log(t_A / t_B) is above 0 where B is faster.
"""

import math
import random
from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import NamedTuple

BASELINE, TWIN = "baseline", "twin"
ORDERS = ("AABB", "BBAA", "ABBA", "BAAB")
STAY_ORDERS = ("AABB", "BBAA")  # the second and the fourth sample follow their own kind
TWIN_SHARE = 5  # one quad in five compares the baseline with its twin
MEDIAN_ERROR = 1.2533  # of the error of a mean: the square root of pi / 2
LOCAL_WINDOW = 25  # samples in the running median that follows drifts and clock changes; 9 halved D in 5 % noise


@dataclass(frozen=True)
class Sample:
    side: str  # "baseline", a variant's name, or "twin"
    seconds: float  # a call
    start_ns: int
    end_ns: int
    calls: int
    valid: bool = True  # False by independent evidence (throttled, foreign process, ...), never by its value
    cpu_seconds: float | None = None  # CPU time per call of the thread that ran it, if that is where its work was

    def __post_init__(self) -> None:
        if self.valid and not (self.seconds > 0 and math.isfinite(self.seconds)):
            raise ValueError(f"a sample of {self.side} took {self.seconds} s: no clock reads that")


@dataclass(frozen=True)
class Quad:
    kind: str  # which comparison it belongs to: the variant's name or "twin"
    samples: tuple[Sample, Sample, Sample, Sample]  # in the order in which they ran

    def __post_init__(self) -> None:
        sides = sorted(sample.side for sample in self.samples)
        if sides != sorted([BASELINE, BASELINE, self.kind, self.kind]):
            raise ValueError(f"a quad of {self.kind} holds {sides}, not two samples of each side")

    @cached_property
    def order(self) -> str:
        return "".join("A" if sample.side == BASELINE else "B" for sample in self.samples)

    @cached_property
    def valid(self) -> bool:
        return all(sample.valid for sample in self.samples)


class ProcessSummary(NamedTuple):
    """What one process says about one comparison; NaN if no quad is valid."""

    value: float  # log(total of A / total of B)
    standard_error: float  # of the value; NaN below two valid quads
    valid: int
    total: int
    baseline: float = math.nan  # log of the mean seconds per call of A
    typical: float = math.nan  # median log-ratio of the quads: what a typical call says


def draw_orders(count: int, rng: random.Random) -> list[str]:
    """Orders drawn in balance: every group of four holds each order once, shuffled."""
    rounds = -(-count // len(ORDERS))
    return [order for _ in range(rounds) for order in rng.sample(ORDERS, len(ORDERS))][:count]


def draw_runs(count: int, rng: random.Random) -> list[str]:
    """Orders whose samples come in runs of two to six of a side: five switches in sixteen samples.

    A quad begins with the side that the last one ended with. What a switch costs is measured and taken off, which adds
    noise; with a switch in every second sample it adds twice as much. One quad of four, at a random place, goes back to
    the side it began with: otherwise every run would have four samples, and a cost that a side pays in every fourth
    call could always fall on a switch. A single quad always does: a drift then weighs on both sides alike.
    """
    orders: list[str] = []
    last = rng.choice("AB")
    while len(orders) < count:
        there_and_back = rng.randrange(4) if count > 1 else 0
        for place in range(4):
            other = "B" if last == "A" else "A"
            order = last + 2 * other + last if place == there_and_back else 2 * last + 2 * other
            orders.append(order)
            last = order[-1]
    return orders[:count]


def schedule(variants: Sequence[str], quads: int, rng: random.Random, twins: bool = True) -> list[tuple[str, str]]:
    """(kind, order) of each quad of a process.

    The quads of a comparison come in one block, the blocks in random order. Spread singly, a side that runs in few of
    them finds its own data cold each time, where the baseline, which runs in all, finds it warm: measured on equal
    sides, a twin in every fifth quad was 4 to 20 % slower than itself.
    """
    shares = _shares(variants, quads, quads // TWIN_SHARE if twins else 0)
    blocks = [[(kind, order) for order in draw_runs(count, rng)] for kind, count in shares]
    rng.shuffle(blocks)
    return [step for block in blocks for step in block]


def _shares(variants: Sequence[str], quads: int, twins: int) -> list[tuple[str, int]]:
    each, rest = divmod(quads - twins, len(variants))
    return [(TWIN, twins), *((kind, each + (at < rest)) for at, kind in enumerate(variants))]


def log_ratio(quad: Quad) -> float | None:
    """mean log t_A - mean log t_B; None if any of the four samples is invalid."""
    if not quad.valid:
        return None
    return math.fsum((1 if sample.side == BASELINE else -1) * math.log(sample.seconds) for sample in quad.samples) / 2


def process_value(quads: Sequence[Quad]) -> ProcessSummary:
    """log(sum of t_A / sum of t_B) over the valid quads: a cost that is paid in few calls has its full weight."""
    _refuse_mixture(quads)
    valid = [quad for quad in quads if quad.valid]
    a, b = ([_of_side(quad.samples, side) for quad in valid] for side in (True, False))
    typical = [ratio for quad in valid if (ratio := log_ratio(quad)) is not None]
    return _summary(a, b, len(quads), typical)


def value_with_left_out(quads: Sequence[Quad]) -> ProcessSummary:
    """The value with the samples that were left out, each by its CPU time: what waiting for the core did is not in it.

    A second of CPU time counts as much as in the valid samples of the same side. If this value differs from that of
    `process_value`, expensive calls were left out more often than cheap ones.
    """
    if all(quad.valid for quad in quads):
        return process_value(quads)
    pace = {}
    for side in {sample.side for quad in quads for sample in quad.samples}:
        valid = [one for quad in quads for one in quad.samples if one.side == side and one.valid and one.cpu_seconds]
        cpu = math.fsum(one.cpu_seconds or 0.0 for one in valid)
        pace[side] = math.fsum(one.seconds for one in valid) / cpu if cpu else 1.0
    found = [tuple(_by_cpu(one, pace[one.side]) for one in quad.samples) for quad in quads]
    return process_value([Quad(quad.kind, four) for quad, four in zip(quads, found, strict=True)])  # type: ignore[arg-type]


def _by_cpu(sample: Sample, pace: float) -> Sample:
    if sample.valid or not sample.cpu_seconds:
        return sample
    return replace(sample, seconds=min(sample.seconds, pace * sample.cpu_seconds), valid=True)


def corrected_value(quads: Sequence[Quad]) -> ProcessSummary:
    """The value less what switching did to it: as if every sample followed its own kind, as in a program.

    What is taken off is measured in the same process, so its error is in the spread of the values. It is always taken
    off, never after a test of whether it is significant.
    """
    found = process_value(quads)
    costs = switch_costs(quads, quads[0].kind) if found.valid else None
    if costs is None:
        return found
    of_a, of_b = costs[BASELINE], costs[quads[0].kind]
    moved = of_b.taken_off - of_a.taken_off
    return found._replace(
        value=found.value + moved,
        standard_error=math.hypot(found.standard_error, of_a.error, of_b.error),
        baseline=found.baseline - of_a.taken_off,
        typical=found.typical + of_b.share * of_b.log - of_a.share * of_a.log,
    )


def stay_value(quads: Sequence[Quad]) -> ProcessSummary:
    """Over samples that follow their own kind only, from AABB and BBAA quads: how older documents were judged."""
    _refuse_mixture(quads)
    own = [quad for quad in quads if quad.order in STAY_ORDERS]
    stays = [[quad.samples[place] for place in (1, 3)] for quad in own if quad.valid]
    a, b = ([_of_side(pair, side) for pair in stays] for side in (True, False))
    typical = [math.log(one / other) for one, other in zip(a, b, strict=True)]
    return _summary(a, b, len(own), typical)


class SwitchCost(NamedTuple):
    """What a switch to a side adds to the log of its sample, and the share of its samples that follow a switch."""

    log: float
    share: float
    error: float  # standard error of what is taken off

    @property
    def taken_off(self) -> float:
        """By so much the log of the side's total is too large."""
        return math.log1p(self.share * math.expm1(self.log))


def carry_over(quads: Sequence[Quad], kind: str) -> float | None:
    """D of one process: how much more a switch costs the variant than the baseline."""
    costs = switch_costs(quads, kind)
    return None if costs is None else costs[kind].log - costs[BASELINE].log


def switch_costs(quads: Sequence[Quad], kind: str) -> dict[str, SwitchCost] | None:
    """What a switch costs each side, in one process.

    `quads` are quads of the process in time order; `kind` is the comparison asked about. Its own valid quads give the
    values; what a sample follows is whatever ran physically before it, valid or not. A sample that follows neither A
    nor B of this comparison is left out of the contrast. That includes one after the twin in a variant's comparison:
    the twin is A's code with memory of its own, so following it is neither staying nor switching. None where one of the
    four groups (A after A, A after B, B after B, B after A) is empty.
    """
    followers = _followers(quads, kind)
    first = _contrasts(followers, kind, {})
    return first and _contrasts(followers, kind, first)  # the local level without what the first look found


def _contrasts(followers: "list[_Follower]", kind: str, known: dict[str, SwitchCost]) -> dict[str, SwitchCost] | None:
    centred = _without_local_level(followers, known)
    costs = {}
    for side, other in ((BASELINE, kind), (kind, BASELINE)):
        stay, switch = (
            [z for step, z in zip(followers, centred, strict=True) if (step.side, step.after) == (side, before)]
            for before in (side, other)
        )
        if not stay or not switch:
            return None
        share = _share_of_switches([step for step in followers if step.side == side])
        error = share * math.hypot(_error_of_median(stay), _error_of_median(switch))
        costs[side] = SwitchCost(median(switch) - median(stay), share, error)
    return costs


def _share_of_switches(own: "list[_Follower]") -> float:
    """Both sides run untimed before the first quad, the variant last: a first sample of the baseline has switched."""
    switched = [step.switched or (step.after is None and step.side == BASELINE) for step in own]
    return sum(switched) / len(switched)


def _error_of_median(values: Sequence[float]) -> float:
    """With `statistics.stdev`, which works in fractions, it took half of the time of a verdict."""
    count = len(values)
    if count < 2:
        return 0.0
    mean = math.fsum(values) / count
    squares = math.fsum((value - mean) ** 2 for value in values)
    return MEDIAN_ERROR * math.sqrt(squares / (count - 1) / count)


class _Follower(NamedTuple):
    side: str
    log_seconds: float
    after: str | None  # the side that ran right before it; None for the first sample of the process

    @property
    def switched(self) -> bool:
        return self.after not in (self.side, None)


def _followers(quads: Sequence[Quad], kind: str) -> list[_Follower]:
    before = None
    followers = []
    for quad in quads:
        for sample in quad.samples:
            if quad.kind == kind and quad.valid:
                followers.append(_Follower(sample.side, math.log(sample.seconds), before))
            before = sample.side
    return followers


def _without_local_level(followers: list[_Follower], known: dict[str, SwitchCost]) -> list[float]:
    """z: log t - median of its side in this process - running median of both sides so centred.

    The medians are of samples less what a switch is `known` to cost: two groups of times have no middle.
    """
    plain = [step.log_seconds - (known[step.side].log if known and step.switched else 0.0) for step in followers]
    sides = {step.side for step in followers}
    level = {
        side: median(log for step, log in zip(followers, plain, strict=True) if step.side == side) for side in sides
    }
    centred = [log - level[step.side] for step, log in zip(followers, plain, strict=True)]
    local = running_medians(centred, LOCAL_WINDOW // 2)
    return [step.log_seconds - level[step.side] - now for step, now in zip(followers, local, strict=True)]


def running_medians(values: Sequence[float], reach: int) -> list[float]:
    """For each value the median of itself and the `reach` values on either side, as far as there are any."""
    window, found = sorted(values[:reach]), []
    for at in range(len(values)):
        if at + reach < len(values):
            insort(window, values[at + reach])
        if at > reach:
            del window[bisect_left(window, values[at - reach - 1])]
        middle = len(window) // 2
        found.append(window[middle] if len(window) % 2 else (window[middle - 1] + window[middle]) / 2)
    return found


def _of_side(samples: Sequence[Sample], baseline: bool) -> float:
    """Mean seconds per call of one side; every sample has the same weight, however many calls it holds."""
    own = [sample.seconds for sample in samples if (sample.side == BASELINE) == baseline]
    return math.fsum(own) / len(own)


def _summary(a: list[float], b: list[float], total: int, typical: list[float]) -> ProcessSummary:
    """Standard error of a ratio of means, from how far each quad is from that ratio."""
    n = len(a)
    if not n:
        return ProcessSummary(math.nan, math.nan, 0, total)
    mean_a, mean_b = math.fsum(a) / n, math.fsum(b) / n
    apart = [one / mean_a - other / mean_b for one, other in zip(a, b, strict=True)]
    error = math.sqrt(math.fsum(one * one for one in apart) / (n - 1) / n) if n > 1 else math.nan
    return ProcessSummary(math.log(mean_a / mean_b), error, n, total, math.log(mean_a), median(typical))


def _refuse_mixture(quads: Sequence[Quad]) -> None:
    kinds = sorted({quad.kind for quad in quads})
    if len(kinds) > 1:
        raise ValueError(f"quads of {' and '.join(kinds)} in one value: give those of one comparison")
