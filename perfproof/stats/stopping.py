"""When to stop, and what more would cost: on the width of the interval, never on what it says.

Stopping at h <= (delta - beta)/1.55 makes the smallest effect found in 9 of 10 runs at most delta. Looking after every
unit from the eighth on and reporting the same 97 % keeps the realised error at most 5 % for unimodal unit effects.

Of a large effect nobody needs the last digit: an interval a fortieth as wide as the effect is narrow enough. At the
usual delta this begins at effects of a fifth, far from where verdicts are decided; 97 % still cover the truth.
"""

import math
from collections.abc import Callable, Sequence

from perfproof.stats.student import POWER, quantile, two_sided
from perfproof.stats.units import LEAST_UNITS, LEVEL, interval

WIDTH_FACTOR = 1.55  # K of eight to ten units
RELATIVE_WIDTH = 1 / 40  # of the logarithm of the ratio: 1.3x to 0.7 %, 2x to 1.7 %, 60x to 10 %


def enough(units: Sequence[float], beta: float, delta: float, level: float, least: int, most: int) -> bool:
    """Is the interval narrow enough, or the cap reached? Never before `least` units."""
    n = len(units)
    if n >= most or n < max(least, LEAST_UNITS):
        return n >= most
    found = interval(units, level)
    wanted = max((delta - beta) / WIDTH_FACTOR, RELATIVE_WIDTH * abs(found.theta))
    return found.half_width is not None and found.half_width <= wanted


def launches_needed(sd: float, beta: float, delta: float, level: float = LEVEL) -> int | None:
    """The smallest n with (t(level) + t(.90)) sd/sqrt(n) <= delta - beta; None where the band alone is too wide."""
    if delta <= beta:
        return None

    def finds_delta(n: int) -> bool:
        return (two_sided(level, n - 1) + quantile(POWER, n - 1)) * sd / math.sqrt(n) <= delta - beta

    return _smallest(finds_delta)


def launches_to_decide(theta: float, sd: float, beta: float, delta: float, level: float = LEVEL) -> int | None:
    """The smallest n whose interval around this theta clears the band or lies, with it, inside delta; None if none."""
    room = max(abs(theta) - beta, delta - beta - abs(theta))
    if room <= 0 or delta < 2 * beta:
        return None
    return _smallest(lambda n: two_sided(level, n - 1) * sd / math.sqrt(n) < room)


def _smallest(holds: Callable[[int], bool]) -> int:
    """The smallest n from five on; `holds` is false below some n and true from there."""
    above = LEAST_UNITS
    while not holds(above):
        above *= 2
    below = max(LEAST_UNITS - 1, above // 2)
    while above - below > 1:
        middle = (above + below) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above
