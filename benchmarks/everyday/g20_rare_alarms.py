"""Find the rare samples beyond six sigma; mostly there is none."""

import numpy as np


def inputs():
    x = np.random.randn(5_000)
    if np.random.rand() < 0.3:
        x[np.random.randint(len(x))] = 9.0
    return x, 4.5


def baseline(x, limit):
    mean, std = x.mean(), x.std()
    return [(i, float(v)) for i, v in enumerate(x) if abs(v - mean) > limit * std]


def optimized(x, limit):
    where = np.flatnonzero(np.abs(x - x.mean()) > limit * x.std())
    return list(zip(where.tolist(), x[where].tolist(), strict=True))
