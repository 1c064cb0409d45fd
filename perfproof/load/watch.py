"""When to end a step of a search early: it cannot meet the SLO any more, or the server is falling behind for good.

And when to end the search: a limit that requests miss which have the server for themselves is met at no rate.
"""

import math
from collections.abc import Callable, Sequence

import numpy

from perfproof.core.load import SloTerm
from perfproof.load.record import Record
from perfproof.load.slo import meets

LEAST = 60  # records before anything is said
GROWTH = 3.0  # of the number in flight, between the first and the last third
CERTAIN = 5.0  # standard errors of a slope
LEAST_ALONE = 10  # requests that had the server for themselves


def watcher(terms: Sequence[SloTerm], planned: int) -> Callable[[Record, int], str]:
    """`planned` is how many requests the step will have."""
    misses = [0] * len(terms)
    allowed = [(1 - term.quantile) * planned for term in terms]
    seen: list[tuple[float, float, int]] = []  # intended arrival, TTFT, in flight

    def look(record: Record, in_flight: int) -> str:
        for at, term in enumerate(terms):
            misses[at] += not meets(record, term)
            if misses[at] > 2 * allowed[at] + 10:
                return f"{misses[at]} requests missed {term.text}; {allowed[at]:.0f} of {planned} may"
        if record.ttft is not None:
            seen.append((record.intended, record.ttft, in_flight))
            if len(seen) >= LEAST and len(seen) % 20 == 0 and falls_behind(seen):
                return "requests arrive faster than they are answered"
        return ""

    return look


def missed_alone(records: Sequence[Record], terms: Sequence[SloTerm]) -> str:
    """The limit that half of the requests miss which had the server for themselves; empty if there is none."""
    ended = sorted((one for one in records if one.end is not None), key=lambda one: one.intended)
    free, alone = 0.0, list[Record]()
    for at, one in enumerate(ended):
        following = ended[at + 1].intended if at + 1 < len(ended) else math.inf
        if one.intended >= free and (one.end or 0.0) <= following and one.outcome != "unfinished":
            alone.append(one)
        free = max(free, one.end or 0.0)
    if len(alone) < LEAST_ALONE:
        return ""
    return next((term.text for term in terms if 2 * sum(not meets(one, term) for one in alone) > len(alone)), "")


def falls_behind(seen: Sequence[tuple[float, float, int]]) -> bool:
    """Both the first-token times and the number in flight rise steadily, and the latter to a multiple."""
    rows = numpy.array(seen, float)
    third = len(rows) // 3
    early, late = rows[:third, 2].mean(), rows[-third:, 2].mean()
    if late < GROWTH * max(early, 1.0) or late < 10:
        return False
    return all(_certainty(rows[:, 0], rows[:, column]) > CERTAIN for column in (1, 2))


def _certainty(x: numpy.ndarray, y: numpy.ndarray) -> float:
    """Standard errors by which a straight line rises; blocks of ten, because neighbours are alike."""
    count = len(x) // 10
    x, y = (values[: count * 10].reshape(count, 10).mean(axis=1) for values in (x, y))
    x = x - x.mean()
    spread = float((x**2).sum())
    if count < 4 or spread == 0:
        return 0.0
    slope = float((x * y).sum()) / spread
    rest = float(((y - y.mean() - slope * x) ** 2).sum()) / (count - 2)
    return slope / (rest / spread) ** 0.5 if rest > 0 else float("inf") * (slope > 0)
