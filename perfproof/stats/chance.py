"""Upper bounds of p values that hold for any number of draws: no table, no approximation that fails far out.

Most are Chernoff bounds. They are a few times larger than the exact p value, so a test by them errs less often than it
says. A chi-square table is wrong by orders of magnitude where counts are small and p is 1e-7.
"""

import math

import numpy


def chi_square(statistic: float, cells: float) -> float:
    """The chance that the sum of so many squared normal values is at least `statistic`."""
    if statistic <= cells:
        return 1.0
    return math.exp(-(statistic - cells) / 2 + cells / 2 * math.log(statistic / cells))


def two_samples(ours: numpy.ndarray, theirs: numpy.ndarray) -> float:
    """How often two samples of the same size and the same source differ as much as these in the counts of their codes.

    Given both together, each draw is in one sample or the other by the toss of a coin. A sum of such signs is nowhere
    likelier to be large than a normal value, so the bound needs no least count in a cell.
    """
    length = 1 + int(max(ours.max(), theirs.max()))
    mine, other = numpy.bincount(ours, minlength=length), numpy.bincount(theirs, minlength=length)
    both = mine + other
    used = both > 0
    return chi_square(float(((mine - other)[used] ** 2 / both[used]).sum()), int(used.sum()))


def share(count: float, trials: float, probability: float) -> float:
    """The chance that so many trials succeed as often as `count` says, or as far off on the other side."""
    values = (numpy.array(one, float) for one in (count, trials, probability))
    return min(1.0, 2 * math.exp(-float(_exponent(*values))))


def combined(values: list[float]) -> float:
    """Fisher's: the chance that independent p values are together as small as these. Exact."""
    half = -sum(math.log(max(1e-300, one)) for one in values)
    return (
        min(1.0, sum(math.exp(k * math.log(half) - half - math.lgamma(k + 1)) for k in range(len(values))))
        if half
        else 1.0
    )


def association(mine: numpy.ndarray, other: numpy.ndarray, both: numpy.ndarray, trials: numpy.ndarray) -> numpy.ndarray:
    """How often two independent columns of truth values go together as much as these: true in each, in both, of all.

    Given how many are true in both, the number that are true together is hypergeometric.
    """
    exponents = [_exponent(both, mine, other / trials), _exponent(both, other, mine / trials)]
    return numpy.minimum(1.0, 2 * numpy.exp(-numpy.maximum(*exponents)))


def _exponent(count: numpy.ndarray, trials: numpy.ndarray, probability: numpy.ndarray) -> numpy.ndarray:
    """Trials times Kullback and Leibler's divergence of two coins: the one found and the one expected."""
    with numpy.errstate(divide="ignore", invalid="ignore"):
        parts = [
            numpy.where(found > 0, found * numpy.log(found / (trials * expected)), 0.0)
            for found, expected in ((count, probability), (trials - count, 1 - probability))
        ]
    return numpy.nan_to_num(parts[0] + parts[1])
