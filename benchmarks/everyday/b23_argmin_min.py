"""Read the smallest value at the place that argmin found, not with a second search.

Where the smallest value is also tells what it is. Calling min as well reads the whole array again: two passes instead
of one, so bytes predict up to 2x. argmin is the slower of the two, so expect less.
"""

from typing import NamedTuple

import numpy as np


class Lowest(NamedTuple):
    index: int
    value: float


workload = dict(count=20_000_000)
workload_cpu = dict(count=2_000_000)
smoke = dict(count=1_001)
tolerance = dict(rtol=0.0, atol=0.0)  # a place and a value of the array, nothing is rounded
tier = "naive"


def inputs(count):
    return (np.random.randn(count),)


def reference(x):
    index = min(range(len(x)), key=x.tolist().__getitem__)
    return Lowest(index, float(x[index]))


def baseline(x):
    return Lowest(index=int(np.argmin(x)), value=float(np.min(x)))


def optimized(x):
    index = int(np.argmin(x))
    return Lowest(index=index, value=float(x[index]))


def cost(count):
    return dict(flops=count, bytes=8 * count, baseline_bytes=16 * count, optimized_bytes=8 * count)
