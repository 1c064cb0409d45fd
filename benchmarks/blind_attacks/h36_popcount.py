"""Count bits with a table over all 16-bit words."""

import numpy as np

workload = workload_cpu = dict(n=3000)
smoke = dict(n=101)
_TABLE = np.array([bin(i).count("1") for i in range(1 << 16)], np.uint8)


def inputs(n):
    return (np.random.randint(0, 2**63, n, dtype=np.uint64),)


def baseline(words):
    return np.array([bin(int(w)).count("1") for w in words], np.int64)


def optimized(words):
    return _TABLE[np.ascontiguousarray(words).view(np.uint16)].reshape(-1, 4).sum(1, dtype=np.int64)
