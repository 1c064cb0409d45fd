"""Dynamic time warping: the loop compiled by numba, with two rows instead of a table."""

import numba
import numpy as np

workload = dict(n=160, m=140)
smoke = dict(n=13, m=9)
tier = "naive"
tolerance = dict(rtol=1e-9, atol=1e-9)  # the same float64 additions, a few hundred of them


def inputs(n, m):
    return np.cumsum(np.random.randn(n)), np.cumsum(np.random.randn(m))


def baseline(a, b):
    n, m = len(a), len(b)
    table = np.full((n + 1, m + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = abs(a[i - 1] - b[j - 1])
            table[i, j] = cost + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return float(table[n, m])


@numba.njit
def _dtw(a, b):
    previous = np.full(len(b) + 1, np.inf)
    row = np.empty(len(b) + 1)
    previous[0] = 0.0
    for i in range(len(a)):
        row[0] = np.inf
        for j in range(len(b)):
            row[j + 1] = abs(a[i] - b[j]) + min(previous[j + 1], row[j], previous[j])
        previous, row = row, previous
    return previous[-1]


def optimized(a, b):
    return _dtw(a, b)
