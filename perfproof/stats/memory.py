"""Peak memory and start-up: one value a process, one side a process, so the two sides are compared unpaired.

Memory is usually exact: processes agree within the quantum of the counter, and then there is nothing to estimate (no
interval of width 0 is made up). Where they differ, and for start-up always: Welch's t on logs, judged by the same rule.
Ratios are baseline over variant: above 1 is less memory or a quicker start.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, median, variance
from typing import TYPE_CHECKING

from perfproof.stats.judgement import Judgement
from perfproof.stats.student import two_sided
from perfproof.stats.units import LEAST_UNITS, LEVEL, Interval
from perfproof.stats.verdicts import CPU_BAND, conclude, numbers, words

if TYPE_CHECKING:
    from perfproof.core.documents import Verdict

LEAST_EXACT = 3  # processes per side that have to agree
LEAST_STARTS = 10
SMALL_QUANTA = 16  # a side below so many quanta of its counter is compared in bytes: its logarithm says little


def judge_memory(
    a: Sequence[int], b: Sequence[int], quantum: int, delta: float = 0.01, level: float = LEVEL
) -> Judgement:
    """Peak bytes of the baseline's processes against the variant's."""
    if exact(a, quantum) and exact(b, quantum):
        return _judge_exact(a, b, quantum, delta, level)
    if min(*a, *b) < SMALL_QUANTA * quantum:
        return _judge_bytes(a, b, quantum, delta, level)
    return _judge_logs(a, b, quantum / min(*a, *b), delta, level, LEAST_UNITS, "memory")


def judge_startup(
    a: Sequence[float], b: Sequence[float], *, beta: float = CPU_BAND, delta: float = 0.01, level: float = LEVEL
) -> Judgement:
    """Seconds from a new interpreter to the first result, ten or more a side."""
    return _judge_logs(a, b, beta, delta, level, LEAST_STARTS, "startup")


def exact(values: Sequence[int], quantum: int) -> bool:
    """Do all processes of one side agree within the quantum of the counter?"""
    return max(values) - min(values) <= quantum


def _judge_exact(a: Sequence[int], b: Sequence[int], quantum: int, delta: float, level: float) -> Judgement:
    """A side of zero bytes has no ratio: the difference decides, and any beyond the quantum is material."""
    before, after = median(a), median(b)
    ratio = before / after if min(before, after) > 0 else None
    beta = quantum / min(before, after) if min(before, after) > 0 else None
    small = ratio is not None and abs(math.log(ratio)) < delta
    found = Judgement(
        "indicative", ratio, level=level, beta=beta, delta=delta, baseline=before, variant=after if ratio else None
    )
    processes = min(len(a), len(b))
    if processes < LEAST_EXACT:
        return replace(found, note=f"{processes} processes per side: {LEAST_EXACT} have to agree")
    note = f"exact, {processes} of {processes} processes"
    if abs(before - after) > quantum:
        verdict: Verdict = "better" if before > after else "worse"
        return replace(found, verdict=verdict, size="small" if small else "material", note=note)
    if small or ratio is None:
        return replace(found, verdict="same", bound=beta, note=note)
    return replace(found, verdict="inconclusive", note=f"{note}; the difference is within the counter's quantum")


def _judge_bytes(a: Sequence[int], b: Sequence[int], quantum: int, delta: float, level: float) -> Judgement:
    """A side of few quanta, or of none in some process: the difference in bytes decides.

    The band is the quantum; what matters is delta of the larger side, and never less than two quanta.
    """
    before, after = fmean(a), fmean(b)
    matters = max(2 * quantum, delta * max(before, after))
    estimate, freedom = welch(a, b, level)
    ratio = before / after if min(before, after) > 0 else None
    found = Judgement("indicative", ratio, level=level, baseline=before, variant=after if ratio else None)
    if min(len(a), len(b)) < LEAST_UNITS or freedom is None:
        return replace(found, note=_too_few(a, b, LEAST_UNITS))
    in_bytes = conclude(Judgement("indicative", level=level), estimate, quantum, matters)
    note = (
        f"judged by the difference of {estimate.theta:,.0f} bytes: a side holds little more than the counter can tell"
    )
    verdict = words(in_bytes.verdict, "memory")
    return replace(found, verdict=verdict, size=in_bytes.size, more_launches=in_bytes.more_launches, note=note)


def _judge_logs(
    a: Sequence[float], b: Sequence[float], beta: float, delta: float, level: float, least: int, claim: str
) -> Judgement:
    logs_a, logs_b = ([math.log(value) for value in side] for side in (a, b))
    estimate, freedom = welch(logs_a, logs_b, level)
    found = numbers(estimate, beta, delta, level, freedom)
    if min(len(a), len(b)) < least or freedom is None:
        ratio = math.exp(estimate.theta)
        found = Judgement("indicative", ratio, level=level, beta=beta, delta=delta, note=_too_few(a, b, least))
    else:
        found = conclude(found, estimate, beta, delta)
    before, after = math.exp(fmean(logs_a)), math.exp(fmean(logs_b))
    return replace(found, verdict=words(found.verdict, claim), baseline=before, variant=after)


def welch(a: Sequence[float], b: Sequence[float], level: float) -> tuple[Interval, float | None]:
    """mean(a) - mean(b) and Welch's degrees of freedom; no interval below two values a side.

    `sd` is that of a difference of single values, `n` the smaller side: sd/sqrt(n) is at least the standard error.
    """
    theta, n = fmean(a) - fmean(b), min(len(a), len(b))
    if n < 2:
        return Interval(theta, None, None, None, None, n), None
    of_a, of_b = variance(a) / len(a), variance(b) / len(b)
    sd, error = math.sqrt(variance(a) + variance(b)), math.sqrt(of_a + of_b)
    if error == 0:
        freedom = float(len(a) + len(b) - 2)
    else:
        freedom = (of_a + of_b) ** 2 / (of_a**2 / (len(a) - 1) + of_b**2 / (len(b) - 1))
    half_width = two_sided(level, freedom) * error
    return Interval(theta, theta - half_width, theta + half_width, half_width, sd, n), freedom


def _too_few(a: Sequence[float], b: Sequence[float], least: int) -> str:
    return f"{min(len(a), len(b))} processes per side: an interval needs {least}"
