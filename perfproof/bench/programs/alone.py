"""One program without another beside it: how long it takes, with an interval, and no verdict.

The unit of the interval is a block of runs, as in a comparison. It says how well the mean of these minutes is known.
What the machine does at another time is not in it: two programs that were timed one after the other are not compared.
"""

import math

from perfproof.bench.programs.trials import Trials
from perfproof.core.documents import Timing
from perfproof.stats.quads import BASELINE
from perfproof.stats.units import Interval, interval


def timing_of(trials: Trials, quantity: str, level: float) -> Timing | None:
    """Mean over blocks with its interval, and the range of the runs; None if no run says anything."""
    values, found = trials.values(BASELINE, quantity), mean_of(trials, quantity, level)
    if found is None:
        return None
    low, high = (None if end is None else math.exp(end) for end in (found.low, found.high))
    return Timing(
        mean=math.exp(found.theta),
        low=low,
        high=high,
        level=level,
        least=min(values),
        most=max(values),
        runs=len(values),
        blocks=found.n,
    )


def mean_of(trials: Trials, quantity: str, level: float) -> Interval | None:
    """The interval of the mean, from the logarithms of the blocks' means."""
    units = trials.block_means(quantity)
    return interval(units, level) if units else None
