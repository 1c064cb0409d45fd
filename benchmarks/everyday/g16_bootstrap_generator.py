"""Bootstrap the mean with one draw of all indices instead of a loop."""

import numpy as np

workload = dict(n=200, rounds=300)


def inputs(n, rounds):
    return np.random.exponential(size=n), rounds, np.random.default_rng(np.random.randint(2**31))


def baseline(x, rounds, rng):
    means = []
    for _ in range(rounds):
        means.append(x[rng.integers(0, len(x), len(x))].mean())
    return np.percentile(means, [2.5, 50, 97.5])


def optimized(x, rounds, rng):
    means = x[rng.integers(0, len(x), (rounds, len(x)))].mean(axis=1)
    return np.percentile(means, [2.5, 50, 97.5])
