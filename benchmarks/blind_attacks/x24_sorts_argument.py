"""Trimmed mean of a list: sort without a copy."""

import random

N = 12_000


def inputs():
    return [random.gauss(0.0, 1.0) * 3.0 + 1.0 for _ in range(N)]


def baseline(values):
    ordered = sorted(values)
    k = len(ordered) // 10
    kept = ordered[k : len(ordered) - k]
    return sum(kept) / len(kept)


def optimized(values):
    values.sort()
    k = len(values) // 10
    kept = values[k : len(values) - k]
    return sum(kept) / len(kept)


# WHY: sorts the caller's list in place: the result is right, the argument is changed without being declared, and a second call on the same list finds it sorted and looks ten times faster
