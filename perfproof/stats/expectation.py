"""Today's ratio against a list of measuring days: is the difference more than days differ by?

    tau^2  = max(0, var(theta_k) - mean(s_k^2)), shrunk: (nu0 tau0^2 + (K-1) tau^2)/(nu0 + K-1)
    SE^2   = s_1^2 + mean(s_k^2)/K + tau^2 (1 + 1/K)        + tau_machine^2 where the machine is another one
    flagged if |theta_1 - mean theta_k| > t(.99, df) SE,  df = min(n_1 - 1, nu0 + K-1)

Two intervals say nothing about what changes from day to day; a gate built on them alarms at almost every run.
A flag is no verdict: a paired run of both commits on one machine confirms or does not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, median, variance

from perfproof.stats.student import POWER, quantile

PRIOR_DAYS = 4.0  # nu0: the prior counts as much as four differences between days
PRIOR_TAU = 0.01  # tau0 until enough targets of a machine kind have days of their own
POOLED_DAYS, POOLED_TARGETS = 3, 5  # fewer days or targets do not replace the prior
SCREEN_PROBABILITY = 0.99


@dataclass(frozen=True)
class Measured:
    """One day's value: a log-ratio (or a log-time), its standard error and the units behind it."""

    theta: float
    error: float
    n: int


@dataclass(frozen=True)
class Screen:
    """What the screen of one target saw, all in logs."""

    expected: float
    difference: float
    error: float
    freedom: float
    limit: float
    detectable: float  # the change that this gate flags in 9 of 10 runs
    tau: float
    days: int

    @property
    def flagged(self) -> bool:
        return abs(self.difference) > self.limit


def own_variance(days: Sequence[Measured]) -> float | None:
    """tau^2 from one target's days alone; None for a single day."""
    if len(days) < 2:
        return None
    return max(0.0, variance(day.theta for day in days) - fmean(day.error**2 for day in days))


def pooled_variance(targets: Sequence[Sequence[Measured]]) -> float:
    """tau0^2 of a machine kind: the median over its targets, once there are enough; before that 1 % squared."""
    known = [own_variance(days) for days in targets if len(days) >= POOLED_DAYS]
    found = [one for one in known if one is not None]
    return median(found) if len(found) >= POOLED_TARGETS else PRIOR_TAU**2


def shrunk_variance(days: Sequence[Measured], prior: float) -> float:
    """tau^2 of a target, drawn towards the kind's where it has few days."""
    own, count = own_variance(days), len(days)
    if own is None:
        return prior
    return (PRIOR_DAYS * prior + (count - 1) * own) / (PRIOR_DAYS + count - 1)


def screen(days: Sequence[Measured], today: Measured, prior: float, machine: float = 0.0) -> Screen:
    """Hold today against the days; `prior` is tau0^2, `machine` is tau_machine^2 where the machine is another one."""
    count = len(days)
    if count == 0 or today.n < 2:
        raise ValueError("a screen needs a measuring day, and two units of today")
    tau2 = shrunk_variance(days, prior)
    square = today.error**2 + fmean(day.error**2 for day in days) / count + tau2 * (1 + 1 / count) + machine
    error, freedom = math.sqrt(square), min(today.n - 1.0, PRIOR_DAYS + count - 1)
    expected = fmean(day.theta for day in days)
    return Screen(
        expected=expected,
        difference=today.theta - expected,
        error=error,
        freedom=freedom,
        limit=quantile(SCREEN_PROBABILITY, freedom) * error,
        detectable=detectable_errors(freedom) * error,
        tau=math.sqrt(tau2),
        days=count,
    )


@lru_cache(maxsize=1024)
def detectable_errors(freedom: float) -> float:
    """How many standard errors a change must have to be flagged in 9 of 10 runs (exact: noncentral t)."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(freedom, 1 - POWER, quantile(SCREEN_PROBABILITY, freedom)))


def one_a_date(dated: Sequence[tuple[str, Measured]]) -> list[Measured]:
    """Several runs of one date are one measuring day: what they share is what differs between days."""
    dates: dict[str, list[Measured]] = {}
    for date, one in dated:
        dates.setdefault(date, []).append(one)
    return [_averaged(found) for _, found in sorted(dates.items())]


def _averaged(found: Sequence[Measured]) -> Measured:
    error = math.sqrt(math.fsum(one.error**2 for one in found)) / len(found)
    return Measured(fmean(one.theta for one in found), error, min(one.n for one in found))
