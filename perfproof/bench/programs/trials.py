"""Timed runs of two programs, in quads, and what they say about one quantity.

A run of a program is a process of its own, with its own layout: that is the unit of the noise. Four adjacent runs in
one of the orders AABB, BBAA, ABBA, BAAB are a quad; what drifts slower than a quad meets both sides alike, and because
orders are drawn in balance it favours neither. The unit of the statistics is a block: the ratio of sums over as many
quads as fit into about a second.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

from perfproof.stats.modes import split
from perfproof.stats.quads import BASELINE, TWIN
from perfproof.stats.units import Interval, interval

B = "b"
CORRELATED = 2.33  # standard errors of a lag-one correlation, one-sided 1 %
DRIFT = 0.05
MODE_GAP, MODE_SHARE = 0.05, 0.15


@dataclass(frozen=True)
class Trial:
    """One timed run of a side."""

    side: str  # "baseline", "b", or "twin": the baseline's command once more
    block: int
    group: int  # the quad, or the pair of the twin, that it belongs to
    row: dict[str, Any]  # what is stored of it

    def value(self, quantity: str) -> float | None:
        if quantity in self.row["metrics"]:
            return self.row["metrics"][quantity]
        return {"wall": self.row["seconds"], "cpu": self.row["cpu_seconds"], "memory": self.row["peak_bytes"]}[quantity]


@dataclass
class Trials:
    """All timed runs, in the order in which they were made."""

    done: list[Trial] = field(default_factory=list)
    higher: frozenset[str] = frozenset()  # metrics of which more is better

    def values(self, side: str, quantity: str) -> list[float]:
        """What every run of a side says; runs that could not tell are left out."""
        found = [trial.value(quantity) for trial in self.done if trial.side == side]
        return [value for value in found if value is not None and value > 0]

    def only_value(self, quantity: str) -> float | None:
        """The value that every run of both sides has; None if they differ, or if one side has none."""
        found = {trial.value(quantity) for trial in self.done}
        sides = {trial.side for trial in self.done}
        return found.pop() if len(found) == 1 and B in sides else None

    def units(self, quantity: str) -> list[float]:
        """log(A/B) of each block, above 0 where b is better; a block with nothing readable is left out."""
        return self._blocks(B, quantity, quads_only=True)

    def twin(self, quantity: str) -> Interval | None:
        units = self._blocks(TWIN, quantity, quads_only=False)
        return interval(units) if units else None

    def figures(self, quantity: str) -> list[tuple[float, float]]:
        """(log of A, log of B) of each block: means over the same quads, so that they differ by the block's unit."""
        return [(math.log(a), math.log(b)) for a, b in self._sums(B, quantity, quads_only=True)]

    def typical(self, quantity: str) -> list[float]:
        """log(A/B) of each block as its typical quad has it."""
        sign = -1.0 if quantity in self.higher else 1.0
        blocks = self._quads(B, quantity, quads_only=True)
        return [sign * median(math.log(a / b) for a, b in quads) for quads in blocks]

    def block_means(self, quantity: str) -> list[float]:
        """log of the baseline's mean in each block; runs that could not tell are left out."""
        blocks: dict[int, list[float]] = {}
        for trial in self.done:
            value = trial.value(quantity)
            if trial.side == BASELINE and value is not None and value > 0:
                blocks.setdefault(trial.block, []).append(value)
        return [math.log(math.fsum(values) / len(values)) for _, values in sorted(blocks.items())]

    def _blocks(self, kind: str, quantity: str, quads_only: bool) -> list[float]:
        sign = -1.0 if quantity in self.higher else 1.0
        return [sign * math.log(a / b) for a, b in self._sums(kind, quantity, quads_only)]

    def _sums(self, kind: str, quantity: str, quads_only: bool) -> list[tuple[float, float]]:
        """Mean of A and mean of B over the quads of each block: a cost that few runs pay has its full weight."""
        return [
            (math.fsum(a for a, _ in quads) / len(quads), math.fsum(b for _, b in quads) / len(quads))
            for quads in self._quads(kind, quantity, quads_only)
        ]

    def _quads(self, kind: str, quantity: str, quads_only: bool) -> list[list[tuple[float, float]]]:
        """Per block, per quad whose runs all have a value: the means of both sides."""
        blocks: dict[int, list[tuple[float, float]]] = {}
        for group in self._groups(kind):
            if quads_only and len(group) != 4:
                continue
            read = [(trial.side, trial.value(quantity)) for trial in group]
            if any(value is None or value <= 0 for _, value in read):
                continue
            a, b = ([value for name, value in read if name == side] for side in (BASELINE, kind))
            blocks.setdefault(group[0].block, []).append((math.fsum(a) / len(a), math.fsum(b) / len(b)))  # type: ignore[arg-type]
        return [quads for _, quads in sorted(blocks.items())]

    def _groups(self, kind: str) -> list[list[Trial]]:
        groups: dict[int, list[Trial]] = {}
        for trial in self.done:
            groups.setdefault(trial.group, []).append(trial)
        return [group for group in groups.values() if any(trial.side == kind for trial in group)]


def correlation(units: Sequence[float]) -> str:
    """What to say where a unit resembles the one before it more than chance allows; empty otherwise."""
    n = len(units)
    if n < 8:
        return ""
    mean = math.fsum(units) / n
    total = math.fsum((unit - mean) ** 2 for unit in units)
    lagged = math.fsum((x - mean) * (y - mean) for x, y in pairwise(units))
    found = lagged / total if total else 0.0
    return f"a block resembles the one before (correlation {found:.2f})" if found > CORRELATED / n**0.5 else ""


def drift_of(values: Sequence[float]) -> float:
    """The logarithm of the last third's median over the first third's; 0 for few values."""
    third = len(values) // 3
    return math.log(median(values[-third:]) / median(values[:third])) if third >= 4 else 0.0


def drift(values: Sequence[float]) -> str:
    """What to say where the baseline's own times moved from the first third of the run to the last."""
    third = len(values) // 3
    if third < 4:
        return ""
    moved = drift_of(values)
    said = f"the baseline's own time moved by {100 * math.expm1(moved):+.0f} % during the run"
    return said if abs(moved) > DRIFT else ""


def groups_of_runs(values: Sequence[float], seconds: Callable[[float], str]) -> str:
    """Runs of one program that fall into two groups, each with a real share of them."""
    logs = [math.log(value) for value in values]
    if len(logs) < 12:
        return ""
    middle = median(logs)
    error = median(abs(log - middle) for log in logs)
    found = split(logs, [max(error / 2, MODE_GAP / 6)])  # a gap of three times the usual deviation, and of 5 %
    if not found or min(mode.launches for mode in found) < MODE_SHARE * len(logs):
        return ""
    return ", ".join(f"{mode.launches} of {len(logs)} runs at {seconds(mode.ratio)}" for mode in found)
