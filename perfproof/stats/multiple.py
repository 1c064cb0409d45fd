"""Many comparisons at once: exact one-sided p values from Student's t, Holm for a gate, Benjamini–Hochberg for a table.

Holm bounds the chance of any wrong mark; Benjamini–Hochberg bounds the share of wrong marks among the marks.
"""

import math
from collections.abc import Sequence

ALPHA = 0.05


def one_sided_p(theta: float, error: float, freedom: float, beta: float = 0.0) -> float:
    """How often chance alone shows `theta` or more, where the truth is at most `beta`; `error` is theta's own.

    For the other direction give -theta. Without any spread the answer is certain either way.
    """
    if math.isnan(theta) or freedom < 1:
        return 1.0
    if error <= 0:
        return 0.0 if theta > beta else 1.0
    from scipy.special import stdtr

    return float(stdtr(freedom, -(theta - beta) / error))


def two_sided_p(theta: float, error: float, freedom: float, beta: float = 0.0) -> float:
    """The same for a difference in either direction."""
    return min(1.0, 2 * one_sided_p(abs(theta), error, freedom, beta))


def holm(values: Sequence[float], alpha: float = ALPHA, total: int | None = None) -> list[bool]:
    """Which hypotheses fall, in the order of `values`.

    `total` is the number of all that could have been tested, where only some were: those that were not count as the
    least significant ones, so the i-th smallest p is held against alpha/(total - i).
    """
    total = len(values) if total is None else max(total, len(values))
    fallen = [False] * len(values)
    for rank, index in enumerate(sorted(range(len(values)), key=lambda one: values[one])):
        if values[index] > alpha / (total - rank):
            break
        fallen[index] = True
    return fallen


def benjamini_hochberg(values: Sequence[float], rate: float = ALPHA) -> list[bool]:
    """Which hypotheses fall, so that the expected share of wrong ones among them is at most `rate`."""
    total = len(values)
    order = sorted(range(total), key=lambda one: values[one])
    passing = [rank for rank, index in enumerate(order, 1) if values[index] <= rate * rank / total]
    kept = set(order[: passing[-1]]) if passing else set()
    return [index in kept for index in range(total)]
