"""The verdict: what an interval over units allows to be said.

    unstable        a fifth of the samples disturbed | units disagree in sign | the baseline differs from its twin |
                    modes | typical calls and totals disagree in direction | mostly expensive samples were disturbed
    faster, slower  the interval clears the systematic band beta
    same            the interval is inside ±delta, and delta is at least twice the band
    inconclusive    else, with the launches it still needs
    indicative      fewer launches than the effort asks for, or one launch and no difference of 5 % or more

beta is not noise but what all launches may share; delta is what matters to the reader, and noise never enlarges it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perfproof.core.units import percent
from perfproof.core.units import ratio as as_ratio
from perfproof.stats.judgement import Judgement, Size
from perfproof.stats.modes import Mode, disagree, split
from perfproof.stats.stopping import launches_needed, launches_to_decide
from perfproof.stats.student import detection_factor, quantile
from perfproof.stats.units import LEAST_UNITS, LEVEL, Interval, interval

if TYPE_CHECKING:
    from perfproof.core.documents import Verdict

GPU_BAND, CPU_BAND = 0.001, 0.002  # engineering judgement until the A/A calibration of a machine kind
LAYOUT_BAND = 0.05  # what the layout of a single launch can do, with a margin
MOST_INVALID = 0.20  # of the samples
LEFT_OUT = 0.05  # caches are cold after a preemption: so much may a ratio with the preempted samples differ
TWIN_PROBABILITY = 0.9975  # one-sided: the twin alarms in half a per cent of the runs at most


def judge(
    units: Sequence[float],
    *,
    beta: float,
    delta: float = 0.01,
    level: float = LEVEL,
    process_errors: Sequence[float] = (),
    invalid_share: float = 0.0,
    twin: Interval | None = None,
    one_launch: bool = False,
    bias: float = 0.0,
    typical: Sequence[float] = (),
    with_left_out: Sequence[float] = (),
    tail: str = "",
    load: str = "",
) -> Judgement:
    """Judge one comparison.

    `process_errors` are the standard errors of the processes' values: gaps beyond them are modes. `twin` is the
    baseline against its twin. `bias` widens the printed and judged interval: what the sides may do to each other.
    `typical` are the units of typical calls, `with_left_out` those with disturbed samples by their CPU time: what these
    move the ratio by widens the interval too. `tail` says which calls take most of the time, `load` how busy the
    machine was. With `one_launch` the units are couples of a single launch, and only what its layout cannot do counts.
    """
    if one_launch:
        beta = max(beta, LAYOUT_BAND)
    if not units:
        return _nothing_measured(beta, delta, level, invalid_share, load)
    plain = interval(units, level).widened(bias)
    moved = math.fsum(with_left_out) / len(with_left_out) - plain.theta if with_left_out else 0.0
    bias += abs(moved)  # the truth lies between leaving disturbed samples out and counting them
    estimate = interval(units, level).widened(bias)
    usual = interval(typical, level).widened(bias) if typical else None
    modes = split(units, process_errors)
    found = replace(
        numbers(estimate, beta, delta, level),
        twin=twin.theta if twin else None,
        typical=math.exp(usual.theta) if usual else None,
        typical_low=math.exp(usual.low) if usual and usual.low is not None else None,
        typical_high=math.exp(usual.high) if usual and usual.high is not None else None,
        modes=tuple((mode.launches, mode.ratio) for mode in modes),
        units=tuple(units),
    )
    causes = [
        *_too_many_invalid(invalid_share, load),
        *_signs_disagree(units, estimate),
        *_twin_differs(twin, beta),
        *_modes_disagree(modes, beta),
        *_directions_disagree(estimate, usual, beta),
        *_expensive_left_out(plain, moved),
    ]
    said = _totals_apart(estimate, usual, tail)
    if causes:
        return replace(found, verdict="unstable", note="; ".join([*causes, *said]))
    concluded = conclude(found, estimate, beta, delta, bias)
    concluded = _of_one_launch(found, concluded) if one_launch else concluded
    return replace(concluded, note="; ".join(filter(None, [*said, concluded.note])))


def numbers(estimate: Interval, beta: float, delta: float, level: float, freedom: float | None = None) -> Judgement:
    """The figures of a judgement whose word is still to be found; `freedom` is n - 1 unless given."""
    low, high, half_width = estimate.low, estimate.high, estimate.half_width
    freedom = estimate.n - 1 if freedom is None else freedom
    return Judgement(
        "indicative",
        ratio=math.exp(estimate.theta),
        low=None if low is None else math.exp(low),
        high=None if high is None else math.exp(high),
        level=level,
        smallest_effect=None if half_width is None else beta + detection_factor(freedom, level) * half_width,
        beta=beta,
        delta=delta,
    )


def conclude(found: Judgement, estimate: Interval, beta: float, delta: float, bias: float = 0.0) -> Judgement:
    """The word for an interval, with what each word owes the reader: its size, its bound, or what is missing.

    `bias` is what the interval was widened by: no number of launches makes it narrower by that.
    """
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        return replace(found, note=f"an interval needs {LEAST_UNITS} launches: {estimate.n} measured")
    if low > beta:
        return replace(found, verdict="faster", size=_size(low, high, delta))
    if high < -beta:
        return replace(found, verdict="slower", size=_size(-high, -low, delta))
    if delta < 2 * beta:
        note = f"`same` is not offered: delta {percent(delta, 2)} is below twice the systematic band {percent(beta, 2)}"
    elif -delta < low - beta and high + beta < delta:
        return replace(found, verdict="same", bound=max(-low, high) + beta)
    else:
        note = ""
    return replace(
        found,
        verdict="inconclusive",
        more_launches=_more_launches(estimate, beta + bias, delta, found.level),
        note=note,
    )


def systematic_band(device: str, launches: int, tick_share: float = 0.0) -> float:
    """beta: what all launches may share, plus the timer's tick as a share of a sample."""
    cpu_band = CPU_BAND if launches >= LEAST_UNITS else LAYOUT_BAND
    return (GPU_BAND if device.startswith("cuda") else cpu_band) + tick_share


def simultaneous_level(level: float = LEVEL, variants: int = 1) -> float:
    """Bonferroni: the level of each of `variants` intervals that makes all of them hold together at `level`."""
    return 1 - (1 - level) / variants


def words(verdict: "Verdict", claim: str) -> "Verdict":
    """A verdict in the words of its claim: memory, energy and start-up get better or worse, not faster or slower."""
    if claim != "time" and verdict == "faster":
        return "better"
    if claim != "time" and verdict == "slower":
        return "worse"
    return verdict


def _nothing_measured(beta: float, delta: float, level: float, invalid_share: float, load: str) -> Judgement:
    causes = _too_many_invalid(invalid_share, load)
    verdict: Verdict = "unstable" if causes else "inconclusive"
    return Judgement(verdict, level=level, beta=beta, delta=delta, note="; ".join(causes or ["no complete couple"]))


def _of_one_launch(found: Judgement, concluded: Judgement) -> Judgement:
    if concluded.verdict in ("faster", "slower", "indicative"):
        return concluded
    return replace(found, note=f"one launch says nothing below {percent(LAYOUT_BAND, 0)}: --effort standard does")


def _size(nearer: float, farther: float, delta: float) -> Size:
    if nearer >= delta:
        return "material"
    return "small" if farther < delta else "unclear"


def _more_launches(estimate: Interval, beta: float, delta: float, level: float) -> int | None:
    """n' - n, to find an effect of delta, or of this size if it is larger.

    An effect between beta and delta can stay open at n'; then as many as this theta and sd would need.
    """
    sd = estimate.sd or 0.0
    planned = launches_needed(sd, beta, max(delta, abs(estimate.theta)), level)
    if planned is not None and planned > estimate.n:
        return planned - estimate.n
    decisive = launches_to_decide(estimate.theta, sd, beta, delta, level)
    return None if decisive is None else max(1, decisive - estimate.n)


def _too_many_invalid(share: float, load: str) -> list[str]:
    if share <= MOST_INVALID:
        return []
    return [f"{percent(share, 0)} of the samples were disturbed" + (f": {load}" if load else "")]


def _expensive_left_out(estimate: Interval, moved: float) -> list[str]:
    """Disturbed samples must not be the expensive ones of a side: leaving them out would make it look faster."""
    if estimate.half_width is None or abs(moved) <= max(LEFT_OUT, 2 * estimate.half_width):
        return []
    return [f"leaving disturbed samples out moves the ratio by {percent(abs(moved), 0)}: long calls are disturbed more"]


def _directions_disagree(total: Interval, usual: Interval | None, beta: float) -> list[str]:
    """A typical call gets faster and all calls together slower, or the other way round."""
    signs = {_direction(total, beta), _direction(usual, beta) if usual else 0}
    return ["typical calls and all calls together disagree"] if signs == {1, -1} else []


def _direction(found: Interval, beta: float) -> int:
    if found.low is None or found.high is None:
        return 0
    return (found.low > beta) - (found.high < -beta)


def _totals_apart(total: Interval, usual: Interval | None, tail: str) -> list[str]:
    """What to say if a typical call and the total differ by more than their intervals."""
    if usual is None or usual.half_width is None or total.half_width is None:
        return []
    if abs(usual.theta - total.theta) <= usual.half_width + total.half_width:
        return []
    said = f"typical call {as_ratio(math.exp(usual.theta))}, in all {as_ratio(math.exp(total.theta))}"
    return [f"{said}: {tail}" if tail else said]


def _signs_disagree(units: Sequence[float], estimate: Interval) -> list[str]:
    """A difference from 0 has to be shown by three quarters of the units, not by a few large ones."""
    if estimate.half_width is None or abs(estimate.theta) <= estimate.half_width:
        return []
    agreeing = sum(unit * estimate.theta > 0 for unit in units)
    few = 4 * agreeing < 3 * len(units)
    return [f"only {agreeing} of {len(units)} launches or blocks agree on which is faster"] if few else []


def _twin_differs(twin: Interval | None, beta: float) -> list[str]:
    """The baseline against itself has to be the same; what remains is a bias that the variant's ratio shares."""
    if twin is None or twin.half_width is None or twin.sd is None:
        return []
    reach = quantile(TWIN_PROBABILITY, twin.n - 1) * twin.sd / math.sqrt(twin.n)
    if abs(twin.theta) - reach <= beta:
        return []
    return [f"the baseline and a copy of it differ by {percent(abs(twin.theta), 2)}, so the measurement is off"]


def _modes_disagree(modes: Sequence[Mode], beta: float) -> list[str]:
    if not disagree(modes, beta):
        return []
    total = sum(mode.launches for mode in modes)
    groups = sorted(modes, key=lambda mode: -mode.launches)
    return ["modes: " + ", ".join(f"{mode.launches} of {total} at {as_ratio(mode.ratio)}" for mode in groups)]
