"""Dynamic time warping with numba: two rows of the table in machine code."""

import numba
import numpy as np

workload = dict(n=220, m=200)
smoke = dict(n=17, m=23)


def inputs(n, m):
    def gesture(length):
        t = np.linspace(0, 1, length) ** np.random.uniform(0.7, 1.4)
        return np.sin(2 * np.pi * 2 * t + np.random.uniform(0, 1)) + 0.1 * np.random.randn(length)

    return gesture(n), gesture(m)


def baseline(a, b):
    inf = float("inf")
    table = [[inf] * (len(b) + 1) for _ in range(len(a) + 1)]
    table[0][0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = abs(a[i - 1] - b[j - 1])
            table[i][j] = cost + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return float(table[-1][-1])


@numba.njit
def _dtw(a, b):
    previous = np.full(len(b) + 1, np.inf)
    previous[0] = 0.0
    current = np.empty(len(b) + 1)
    for i in range(len(a)):
        current[0] = np.inf
        for j in range(len(b)):
            best = min(previous[j + 1], current[j], previous[j])
            current[j + 1] = abs(a[i] - b[j]) + best
        previous, current = current, previous
    return previous[len(b)]


def optimized(a, b):
    return float(_dtw(a, b))
