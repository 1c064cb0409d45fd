"""Expensive function of few distinct codes: compute it once per distinct code of the call."""

import numpy as np

N = 8000


def inputs():
    return np.random.randint(0, 200, N)


def _cost(codes):
    t = codes.astype(np.float64) * 0.01
    out = np.zeros_like(t)
    for k in range(1, 17):
        out += np.sin(k * t) / k
    return out


def baseline(codes):
    return _cost(codes)


def optimized(codes):
    distinct, inverse = np.unique(codes, return_inverse=True)
    return _cost(distinct)[inverse]


# HONEST: remembers answers within one call only; every call pays for its own distinct codes (look-alike of x01)
