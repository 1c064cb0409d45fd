"""Student's t: its quantiles, and the noncentral t that says what a comparison can find.

scipy.special is imported on first use: it costs a fifth of a second that a command without statistics need not pay.
"""

from functools import lru_cache

POWER = 0.90  # "found in 9 of 10 runs"


@lru_cache(maxsize=4096)
def quantile(probability: float, freedom: float) -> float:
    """The value that a t variable with `freedom` degrees of freedom stays below with `probability`."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def two_sided(level: float, freedom: float) -> float:
    """How many standard errors an interval of confidence `level` reaches to each side."""
    return quantile(0.5 + level / 2, freedom)


@lru_cache(maxsize=4096)
def detection_factor(freedom: float, level: float) -> float:
    """K: an effect of K half widths beyond the band has its interval clear of the band in 9 of 10 runs.

    Exact: the noncentrality at which a noncentral t exceeds the interval's own quantile with probability 0.9.
    """
    from scipy.special import nctdtrinc

    reach = two_sided(level, freedom)
    return float(nctdtrinc(freedom, 1 - POWER, reach)) / reach
