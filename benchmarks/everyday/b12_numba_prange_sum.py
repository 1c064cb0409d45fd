"""Sum a large array on all cores with numba's prange, not on one with numpy.sum.

numpy.sum runs on one core, which cannot draw the whole memory bandwidth of a machine. prange gives every thread a part
and adds the partial sums. Below some hundred thousand elements, waking the threads costs more than the sum.
"""

import math

import numba
import numpy as np

workload = dict(count=50_000_000)
workload_cpu = dict(count=5_000_000)
smoke = dict(count=1_003)
tolerance = dict(rtol=1e-9, atol=1e-7)  # doubles near 1 that cancel: 5e7 left-to-right additions, each good to 2**-53
tier = "vendor"
needs = dict(packages=["numba"])


@numba.njit(parallel=True, fastmath=True)
def parallel_sum(x):
    total = 0.0
    for i in numba.prange(x.shape[0]):
        total += x[i]
    return total


def inputs(count):
    return (np.random.randn(count),)


def reference(x):
    return math.fsum(x)


def baseline(x):
    return float(np.sum(x))


def prepare_optimized(x):
    parallel_sum(x)  # compiles and starts the threads
    return parallel_sum


def optimized(kernel, x):
    return float(kernel(x))


def cost(count):
    return dict(flops=count, bytes=8 * count)
