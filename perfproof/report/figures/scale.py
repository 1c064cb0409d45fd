"""From a value to a place on the page, and the round values to write beside an axis."""

import math
from dataclasses import dataclass

ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` lie between the pixels `start` and `end`; outside values stay at the edge."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = (
            (math.log(v) for v in (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        )
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def ticks(self, most: int = 5) -> list[float]:
        if self.log and self.high / self.low > 4:
            return _decades(self.low, self.high, most)
        return round_values(self.low, self.high, most)


def round_values(low: float, high: float, most: int = 5) -> list[float]:
    """At most `most` evenly spaced round values inside; none where there is no width."""
    width = high - low
    if not (width > 0 and math.isfinite(width)):
        return []
    unit = 10.0 ** math.floor(math.log10(width / most))
    step = next((unit * r for r in ROUND if width / (unit * r) <= most - 1 + 1e-9), unit * 10)
    first = math.ceil(low / step - 1e-9)
    return [step * n for n in range(first, math.floor(high / step + 1e-9) + 1)][:most]


def _decades(low: float, high: float, most: int) -> list[float]:
    """1, 2, 5 a decade where there is room, else whole decades, thinned out."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [digit * 10.0**e for e in exponents for digit in digits if low <= digit * 10.0**e <= high]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]
