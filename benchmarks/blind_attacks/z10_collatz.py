"""Look the lengths up in a table that is made once."""

import numpy as np

workload = workload_cpu = dict(n=5000)
smoke = dict(n=37)
TOP = 20_000


def inputs(n):
    return (np.random.randint(1, TOP, n),)


def baseline(numbers):
    n = numbers.copy()
    steps = np.zeros(len(n), np.int64)
    while True:
        live = n > 1
        if not live.any():
            return steps
        steps += live
        n = np.where(live, np.where(n & 1, 3 * n + 1, n >> 1), n)


def prepare_optimized(numbers):
    return np.concatenate([[0], baseline(np.arange(1, TOP))])


def optimized(table, numbers):
    return table[numbers]
