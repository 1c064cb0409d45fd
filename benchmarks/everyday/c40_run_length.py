"""Find runs by comparing an array with itself shifted by one, not by walking over its elements.

groupby touches each element as a Python object, and a list is made of each run to count it. numpy finds all places
where the value changes in one pass; Python objects are made only for the runs, a tenth as many.
"""

from itertools import groupby

import numpy as np

workload = workload_cpu = dict(n=100_000)
smoke = dict(n=203)
tolerance = dict(rtol=0.0, atol=0.0)  # values and lengths are whole numbers
tier = "idiomatic"


def inputs(n):
    values = np.random.randint(0, 50, n // 5 + 1)
    lengths = np.random.randint(5, 15, n // 5 + 1)
    return (np.repeat(values, lengths)[:n],)


def reference(values):
    runs = []
    for value in values.tolist():
        if runs and runs[-1][0] == value:
            runs[-1] = (value, runs[-1][1] + 1)
        else:
            runs.append((value, 1))
    return runs


def baseline(values):
    return [(value, len(list(run))) for value, run in groupby(values.tolist())]


def optimized(values):
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    lengths = np.diff(starts, append=len(values))
    return list(zip(values[starts].tolist(), lengths.tolist(), strict=True))


def cost(n):
    return dict(flops=n, bytes=8 * n, baseline_flops=n, optimized_flops=n // 10)
