"""A 2-d histogram with numba against numpy."""

import numpy as np
from numba import njit


@njit(cache=True)
def count(x, y, bins):
    out = np.zeros((bins, bins))
    for i in range(x.shape[0]):
        a = min(int(x[i] * bins), bins - 1)
        b = min(int(y[i] * bins), bins - 1)
        out[a, b] += 1
    return out


domain = dict(x=(0.0, 1.0), y=(0.0, 1.0))  # the range of the histogram


def inputs():
    return np.random.rand(20000), np.random.rand(20000)


def baseline(x, y):
    return np.histogram2d(x, y, bins=32, range=[[0, 1], [0, 1]])[0]


def optimized(x, y):
    return count(x, y, 32)
