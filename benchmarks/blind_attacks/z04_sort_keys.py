"""Sort keys by counting digits (NumPy's radix sort) instead of by comparing."""

import numpy as np

workload = workload_cpu = dict(n=100_000)
smoke = dict(n=1013)


def inputs(n):
    return (np.random.randint(0, 60_000, n),)


def baseline(keys):
    return np.sort(keys, kind="stable")


def optimized(keys):
    return np.sort(keys.astype(np.uint16), kind="stable").astype(np.int64)
