"""A trial that may end before its last unit: looked at after 8, 12 and 16, with its error shared out over the looks.

Each look may use a tenth of the error, the end what is left (as Haybittle and Peto: strict early, almost whole at the
end). By Bonferroni the shares add up to the whole whatever decides when to stop, so nothing has to be assumed about the
rule, nor about how the looks hang together:

    p   = min over looks p_k / share_k
    ends = theta_k -/+ t(1 - .03 share_k / 2) s_k/sqrt(k)

The price is paid at the end: an interval of 20 units is 7 % wider than one that nobody looked at.
"""

import math
from collections.abc import Sequence

from perfproof.stats.multiple import one_sided_p
from perfproof.stats.units import LEVEL, interval

EARLY = {8: 0.1, 12: 0.1, 16: 0.1}  # units -> share of the error


def share(n: int) -> float:
    """Of the error, for what is said after n units; an end that is no planned look has what the looks left."""
    return EARLY.get(n, 1 - math.fsum(one for look, one in EARLY.items() if look < n))


def looked_level(n: int, level: float = LEVEL) -> float:
    """The level of an interval after n units, so that over all looks `level` holds."""
    return 1 - (1 - level) * share(n)


def looked_p(units: Sequence[float], beta: float = 0.0) -> float:
    """One-sided p of a mean above `beta`, from units in the order they were taken; give -units for the other side."""
    ends = [look for look in EARLY if look < len(units)] + [len(units)]
    return min(1.0, *(_p(units[:end], beta) / share(end) for end in ends))


def _p(units: Sequence[float], beta: float) -> float:
    found = interval(units)
    if found.sd is None or found.half_width is None:
        return 1.0
    return one_sided_p(found.theta, found.sd / math.sqrt(found.n), found.n - 1, beta)
