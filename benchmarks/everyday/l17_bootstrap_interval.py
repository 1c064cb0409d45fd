"""Percentile bootstrap of a mean, all resamples at once.

numpy's Generator fills an array in the order in which it would answer single requests, so both draw the same resamples.
"""

import numpy as np

workload = dict(n=300, resamples=1000)
smoke = dict(n=11, resamples=40)


def inputs(n, resamples):
    latencies = np.random.lognormal(3.0, 0.5, n)
    return latencies, resamples, np.random.default_rng(np.random.randint(2**31))


def baseline(latencies, resamples, rng):
    n = len(latencies)
    means = []
    for _ in range(resamples):
        means.append(latencies[rng.integers(0, n, size=n)].mean())
    low, high = np.percentile(means, [2.5, 97.5])
    return latencies.mean(), low, high


def optimized(latencies, resamples, rng):
    n = len(latencies)
    means = latencies[rng.integers(0, n, size=(resamples, n))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return latencies.mean(), low, high
