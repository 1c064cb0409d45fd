"""What tells one series from another."""

import json
from dataclasses import dataclass
from typing import Literal, get_args

from perfproof.history.index.rows import UNKNOWN
from perfproof.history.index.tables import results

Quantity = Literal["ratio", "time", "baseline"]
QUANTITIES = get_args(Quantity)
VALUES = {"ratio": results.c.ratio, "time": results.c.variant_seconds, "baseline": results.c.baseline_seconds}
SAME = ("target", "variant", "kind", "sizes", "claim", "clock", "statistic")


@dataclass(frozen=True)
class Key:
    """What is the same in all points of a series."""

    target: str
    variant: str
    kind: str
    sizes: str
    claim: str
    clock: str
    quantity: Quantity = "ratio"
    fingerprint: str = ""  # of times; a ratio may have many
    canary: str = ""
    statistic: str = "median"

    @property
    def name(self) -> str:
        """In the index, and where known changes are kept: a median is not spelt out, so that old names stay."""
        values = [str(value) for name, value in vars(self).items() if name != "statistic"]
        return "\n".join(values if self.statistic == "median" else [*values, self.statistic])

    @property
    def conditions(self) -> str:
        """What else is the same in all points, in words."""
        parts = [sizes_in_words(self.sizes), f"clock {self.clock or UNKNOWN}"]
        parts += [f"claim {self.claim}"] if self.claim != "time" else []
        return "; ".join([*parts, f"{self.statistic} times"] if self.quantity != "ratio" else parts)

    @property
    def has_machine(self) -> bool:
        """Whether it is known that the points belong together: a ratio brings its baseline from the same run."""
        return self.quantity == "ratio" or (self.fingerprint or self.kind) != UNKNOWN

    @property
    def higher_is_better(self) -> bool:
        return self.quantity == "ratio" and not self.canary


def sizes_in_words(sizes: str) -> str:
    return ", ".join(f"{name}={value}" for name, value in json.loads(sizes).items()) or "no sizes"
