"""Sort keys that fit in 16 bits with a radix sort, and others as before."""

import numpy as np

workload = workload_cpu = dict(n=100_000)
smoke = dict(n=1013)


def inputs(n):
    return (np.random.randint(0, 60_000, n),)


def baseline(keys):
    return np.sort(keys, kind="stable")


def optimized(keys):
    if len(keys) and keys.min() >= 0 and keys.max() < 1 << 16:
        return np.sort(keys.astype(np.uint16), kind="stable").astype(keys.dtype)
    return np.sort(keys, kind="stable")
