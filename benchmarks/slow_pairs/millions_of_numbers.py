"""Sums by key over ten million numbers of Python: a dict against NumPy."""

import random

import numpy as np

workload = dict(rows=5_000_000)
smoke = dict(rows=100)


def inputs(rows):
    rng = np.random.default_rng(random.getrandbits(64))
    return rng.integers(0, 1_000, rows).tolist(), rng.integers(0, 100, rows).tolist()


def baseline(keys, values):
    sums = {}
    for key, value in zip(keys, values, strict=True):
        sums[key] = sums.get(key, 0) + value
    return dict(sorted(sums.items()))


def optimized(keys, values):
    sums, present = np.bincount(keys, weights=values), np.bincount(keys)
    return {key: int(total) for key, total in enumerate(sums.tolist()) if present[key]}
