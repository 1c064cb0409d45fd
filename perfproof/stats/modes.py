"""Modes: groups of launches that agree with each other and not with the rest.

Two threads that land well in 12 launches and badly in 2 give no useful mean: the groups are the answer. A mode that no
launch happened to show cannot be in any interval, so a result says how rare a mode it could still have seen.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

LEAST_GAP = 0.02
GAP_ERRORS = 6  # within-process standard errors


@dataclass(frozen=True)
class Mode:
    launches: int
    theta: float  # mean log-ratio of the group

    @property
    def ratio(self) -> float:
        return math.exp(self.theta)


def split(units: Sequence[float], process_errors: Sequence[float]) -> tuple[Mode, ...]:
    """The lower and the upper group where the largest gap is too wide for one; otherwise nothing."""
    ordered = sorted(units)
    gaps = [above - below for below, above in pairwise(ordered)]
    known = [error for error in process_errors if not math.isnan(error)]
    if not gaps or max(gaps) <= max(LEAST_GAP, GAP_ERRORS * (median(known) if known else 0.0)):
        return ()
    cut = gaps.index(max(gaps)) + 1
    return _mode(ordered[:cut]), _mode(ordered[cut:])


def disagree(modes: Sequence[Mode], beta: float) -> bool:
    """Would the groups get different verdicts?

    A group is judged by its mean, as if it were known exactly: beyond the band or not, and on which side. The smaller
    group often is one or two launches, which have no interval.
    """
    return len({(mode.theta > beta) - (mode.theta < -beta) for mode in modes}) > 1


def rarest_mode_seen(n: int, level: float = 0.97) -> float:
    """Modes at least this probable show in one of `n` launches with confidence `level`."""
    return 1 - (1 - level) ** (1 / n)


def _mode(units: Sequence[float]) -> Mode:
    return Mode(len(units), math.fsum(units) / len(units))
