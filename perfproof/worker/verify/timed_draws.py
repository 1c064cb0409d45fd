"""Random results of timed calls: each on arguments of its own, so each is ranked among the reference's draws on them.

For a right side the rank of any figure is uniform, and calls are independent: the ranks of a process are one sample.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy

from perfproof.core.trees import leaves
from perfproof.stats import chance
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.distribution import (
    ERROR,
    Draw,
    Ranked,
    affordable,
    finite,
    in_types_of,
    marks,
    part_figures,
    take,
    varies,
)
from perfproof.worker.verify.draws import Places, choose_places, shape_problem, shapes
from perfproof.worker.verify.outputs import type_problem

LEAST, MOST, SHARE = 16, 256, 0.1  # draws of the reference to rank a result among, and the share of a second for them
REPEATS = 3  # equal results by which a side has remembered one
FEW = 6  # results of a side
AGAIN = "they go along with the ones before"


class TimedDraws:
    """The ranks of all looked-at results of one process, by side and figure."""

    def __init__(self, tolerance: dict[str, Any]):
        self._tolerance = tolerance
        self._first: Any = None  # result: all have its types
        self._ranks: dict[str, dict[tuple[int, str], list[float]]] = {}
        self._seen: dict[str, list[int]] = {}
        self._places: list[Places] = []  # where all results of the process are read
        self._before: dict[tuple[str, int], numpy.ndarray] = {}  # ranks of the result before, by side and part
        self._rng = random.Random()

    def problem(self, side: str, output: Any, reference: Draw, agree: Callable[[float], float] = float) -> str:
        self._first = output if self._first is None else self._first
        example = reference()
        wrong = type_problem(output, self._first) or shape_problem(output, example)
        if agree(bool(wrong)):
            return wrong
        places = self._places
        if [part.shape for part in places] != shapes(output):
            self._before = {}
            places = self._places = choose_places(output, self._tolerance, numpy.random.default_rng())
        rounded = in_types_of(output, reference)
        count = int(1 / agree(1 / max(LEAST, min(MOST, SHARE * affordable([rounded], places)))))
        trained, others = take(rounded, max(LEAST, count // 4), places), take(rounded, count, places)
        own = take(lambda: output, 1, places)
        found = self._ranks.setdefault(side, {})
        for at, part in enumerate(places):
            if not numpy.isfinite(own[at]).all() and numpy.isfinite(others[at]).all():
                return f"has NaN or infinity{part.of_part}, no draw of the reference has"
            if not varies(part, *finite([trained[at], others[at]])):
                leaf, right = ([one for _, one in leaves(tree)][at] for tree in (output, example))
                if wrong := difference(leaf, right, self._tolerance).problem:
                    return f"{wrong}{part.of_part}, where all draws of the reference are alike"
                continue
            (both,) = finite([numpy.concatenate([others[at], own[at]])])
            ranked = Ranked(part, *finite([trained[at]]))
            ranks = ranked.ranks(both)
            figures = {"the values": ranks.mean(1), **ranked.figures(both, ranks)}
            if (side, at) in self._before:
                figures[AGAIN] = (ranks - 0.5) @ self._before[side, at]
            self._before[side, at] = ranks[-1] - 0.5
            figures |= {what: both[:, column] for what, column, _ in part_figures(part, both)}
            for name, column in figures.items():
                found.setdefault((at, name), []).append(self._place(column))
        return self._repeated(side, marks(own)[0], marks(trained) + marks(others)) or self._judged(side)

    def lacks(self, side: str) -> bool:
        """Are there too few results of a side yet to tell whether they go along with each other?"""
        return len(self._seen.get(side, ())) < FEW

    def _place(self, column: numpy.ndarray) -> float:
        """Of the last among all, from 0 to 1; equal ones share their places by chance."""
        below, alike = int((column < column[-1]).sum()), int((column == column[-1]).sum())
        return (below + self._rng.random() * alike) / len(column)

    def _judged(self, side: str) -> str:
        """Every result is another look: the k-th has 1 / (k (k + 1)) of the error, and half is for `AGAIN`."""
        found = self._ranks[side]
        for (_, name), ranks in found.items():
            tests = 2 * (1 if name == AGAIN else len(found)) * len(ranks) * (len(ranks) + 1)
            tails = [1 - one if name == AGAIN else 2 * min(one, 1 - one) for one in ranks]
            p = chance.combined(tails) * tests
            if p <= ERROR:
                return f"and {len(ranks) - 1} more are no draws of the reference's distribution: {name} (p = {p:.1g})"
        return ""

    def _repeated(self, side: str, own: int, reference: list[int]) -> str:
        seen = self._seen.setdefault(side, [])
        seen.append(own)
        repeats = len(seen) - len(set(seen))
        if repeats < REPEATS or len(set(reference)) < len(reference):
            return ""
        return f"came {repeats} times before, and no draw of the reference comes twice: draw anew in every call"
