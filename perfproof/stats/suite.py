"""The geometric mean over a suite, for two different questions.

    this suite              G = mean theta_i,  SE^2 = sum s_i^2/n_i / T^2 + tau_shared^2,  Welch–Satterthwaite freedom
    a workload like these   t over the targets, T - 1 degrees of freedom

The first says how these targets changed and is narrow; the second asks what another workload of their kind would see,
and is as wide as the targets differ. tau_shared is what moves all targets of a run alike: 0 inside one paired run.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.stats.student import two_sided
from perfproof.stats.units import LEAST_UNITS, LEVEL


@dataclass(frozen=True)
class Estimate:
    """A log-ratio with its standard error."""

    theta: float
    error: float
    freedom: float


@dataclass(frozen=True)
class Mean:
    theta: float
    low: float | None  # None where there are too few targets for an interval
    high: float | None
    freedom: float | None


def difference(later: Estimate, earlier: Estimate) -> Estimate:
    """Welch: two estimates that share nothing."""
    variances = [later.error**2, earlier.error**2]
    return Estimate(
        later.theta - earlier.theta,
        math.sqrt(math.fsum(variances)),
        satterthwaite(variances, [later.freedom, earlier.freedom]),
    )


def satterthwaite(variances: Sequence[float], freedoms: Sequence[float]) -> float:
    """Degrees of freedom of a sum of variances; where there is no spread at all, the smallest."""
    spread = math.fsum(one**2 / freedom for one, freedom in zip(variances, freedoms, strict=True) if one > 0)
    return math.fsum(variances) ** 2 / spread if spread > 0 else min(freedoms)


def this_suite(estimates: Sequence[Estimate], shared: float = 0.0, level: float = LEVEL) -> Mean:
    """The mean change of these very targets; `shared` is tau_shared, taken as known."""
    count = len(estimates)
    if count == 0:
        raise ValueError("no targets: there is no mean")
    theta = math.fsum(one.theta for one in estimates) / count
    variances = [(one.error / count) ** 2 for one in estimates]
    own = math.fsum(variances)
    freedom = satterthwaite(variances, [one.freedom for one in estimates])
    if shared > 0 and own > 0:  # a known variance has no uncertainty of its own
        freedom *= ((own + shared**2) / own) ** 2
    half_width = two_sided(level, freedom) * math.sqrt(own + shared**2)
    return Mean(theta, theta - half_width, theta + half_width, freedom)


def workload_like_these(thetas: Sequence[float], level: float = LEVEL) -> Mean:
    """What another workload drawn from the same kind would see; no interval below five targets."""
    count = len(thetas)
    if count == 0:
        raise ValueError("no targets: there is no mean")
    theta = math.fsum(thetas) / count
    if count < LEAST_UNITS:
        return Mean(theta, None, None, None)
    variance = math.fsum((one - theta) ** 2 for one in thetas) / (count - 1)
    half_width = two_sided(level, count - 1) * math.sqrt(variance / count)
    return Mean(theta, theta - half_width, theta + half_width, count - 1)
