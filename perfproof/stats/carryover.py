"""Carry-over: does switching cost one side more than the other, so that fine interleaving tilts the ratio?

D is what a switch costs the variant more than the baseline; the ratio is off by D/2. A switch that costs both the same
is no bias. What a found D means for the measurement (lead-in, longer samples, the stay ratio) is the caller's decision.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from perfproof.stats.units import interval

LEVEL = 0.99
NEGLIGIBLE = 0.02  # of the effect itself
NOTABLE = 0.05


@dataclass(frozen=True)
class CarryOver:
    d: float | None  # mean over processes; None where no process could tell
    half_width: float | None  # at 99 %; None below five processes: the test did not run
    significant: bool
    bias_bound: float | None  # (|D| + half width)/2: the ratio is off by less than this

    @property
    def carry(self) -> float:
        """What the systematic band has to grow by while this way of alternating is kept."""
        return self.bias_bound if self.significant and self.bias_bound is not None else 0.0

    @property
    def notable(self) -> bool:
        """Large enough to be said in the verdict's line, whatever was done about it."""
        return self.d is not None and abs(self.d) > NOTABLE


def carry_over_test(d_per_process: Iterable[float | None], theta: float) -> CarryOver:
    """T1: significant if D is not 0 at 99 % over processes, and D/2 is at least 2 % of the effect."""
    known = [d for d in d_per_process if d is not None]
    if not known:
        return CarryOver(None, None, False, None)
    estimate = interval(known, LEVEL)
    d, half_width = estimate.theta, estimate.half_width
    if half_width is None:
        return CarryOver(d, None, False, None)
    significant = abs(d) > half_width and abs(d) / 2 >= NEGLIGIBLE * abs(theta)
    return CarryOver(d, half_width, significant, (abs(d) + half_width) / 2)
