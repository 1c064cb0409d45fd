"""Carry-over: does switching cost one side more than the other, so that fine interleaving tilts the ratio?

D is what a switch costs the variant more than the baseline. Every process's value is corrected by what switching did to
it (`quads.corrected_value`); D is shown beside the result if it is large.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

NOTABLE = 0.05


@dataclass(frozen=True)
class CarryOver:
    d: float | None  # mean over couples; None if no process can tell

    @property
    def notable(self) -> bool:
        """Large enough to be said beside the verdict."""
        return abs(self.d or 0.0) > NOTABLE


def carry_over_of(d_per_couple: Iterable[float]) -> CarryOver:
    known = list(d_per_couple)
    return CarryOver(math.fsum(known) / len(known) if known else None)
