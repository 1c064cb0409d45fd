"""Count the values of an array with numpy.unique, not with a Counter over its elements.

A Counter needs a Python object for each element, hashes it and looks it up. unique sorts the raw numbers in C and makes
Python objects only for the different ones, of which there are few.
"""

from collections import Counter

import numpy as np

workload = workload_cpu = dict(count=100_000, kinds=200)
smoke = dict(count=101, kinds=7)
tolerance = dict(rtol=0.0, atol=0.0)  # counts are whole numbers
tier = "idiomatic"


def inputs(count, kinds):
    return (np.random.randint(0, kinds, count),)


def reference(values):
    counts = {}
    for value in values:
        counts[int(value)] = counts.get(int(value), 0) + 1
    return counts


def baseline(values):
    return dict(Counter(values.tolist()))


def optimized(values):
    kinds, counts = np.unique(values, return_counts=True)
    return dict(zip(kinds.tolist(), counts.tolist(), strict=True))


def cost(count, kinds):
    return dict(bytes=8 * count, samples=count)
