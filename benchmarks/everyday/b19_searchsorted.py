"""Look up many values in sorted keys with one searchsorted, not with a loop of bisect.

Both halve the range about 14 times for each value. bisect takes every key it compares out of the array as a new Python
object; searchsorted compares doubles in C, and one call does all values.
"""

import bisect

import numpy as np

workload = workload_cpu = dict(keys=10_000, queries=2_000)
smoke = dict(keys=101, queries=17)
tolerance = dict(rtol=0.0, atol=0.0)  # positions are whole numbers
tier = "naive"


def inputs(keys, queries):
    return np.sort(np.random.randn(keys)), np.random.randn(queries)


def reference(keys, queries):
    return np.array([int((keys < query).sum()) for query in queries], dtype=np.int64)


def baseline(keys, queries):
    return np.array([bisect.bisect_left(keys, query) for query in queries], dtype=np.int64)


def optimized(keys, queries):
    return np.searchsorted(keys, queries, side="left")


def cost(keys, queries):
    return dict(flops=queries * keys.bit_length(), bytes=8 * keys + 16 * queries)
