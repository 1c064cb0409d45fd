"""Isolation: does a body run as fast beside the other side as it does alone?

T2 compares one body in a process that never loads the variant with the same body in the mixed process, driven in turn.
It sees what carry-over cannot: patched functions, flags, thread counts, allocator state that one side leaves behind.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.stats.units import interval

LEVEL = 0.99


@dataclass(frozen=True)
class Isolation:
    theta: float | None  # log(t_clean / t_mixed); None without a unit
    half_width: float | None  # at 99 %; None below five units: the test did not run
    alarm: bool

    @property
    def bound(self) -> float | None:
        """The baseline is moved by less than this; None if the test did not run."""
        return None if self.half_width is None else abs(self.theta or 0.0) + self.half_width


def isolation_test(units: Sequence[float], beta: float = 0.0) -> Isolation:
    """Alarm if the two differ by surely more than `beta`."""
    if not units:
        return Isolation(None, None, False)
    estimate = interval(units, LEVEL)
    alarm = estimate.half_width is not None and abs(estimate.theta) - estimate.half_width > beta
    return Isolation(estimate.theta, estimate.half_width, alarm)
