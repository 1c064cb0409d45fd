"""Write a reduction over several arrays as one compiled loop, not as a numpy expression.

The expression makes three temporaries of the size of its inputs and reads each back: 8 passes over memory instead of 2.
The compiled loop keeps everything in registers. It adds from left to right and numpy adds in pairs, so the last digits
differ.
"""

import math

import numba
import numpy as np

workload = workload_cpu = dict(count=1_000_000)
smoke = dict(count=1_001)
tolerance = dict(rtol=1e-9, atol=1e-12)  # terms are not negative; a left-to-right sum of 1e6 doubles is good to 1e-10
tier = "idiomatic"
needs = dict(packages=["numba"])


@numba.njit
def weighted_square_error(x, y, weight):
    total = 0.0
    for i in range(x.shape[0]):
        difference = x[i] - y[i]
        total += weight[i] * difference * difference
    return total / x.shape[0]


def inputs(count):
    return np.random.randn(count), np.random.randn(count), np.random.rand(count)


def reference(x, y, weight):
    wide = np.longdouble
    terms = weight.astype(wide) * (x.astype(wide) - y.astype(wide)) ** 2
    return math.fsum(terms) / len(x)


def baseline(x, y, weight):
    return float(np.sum(weight * (x - y) ** 2) / len(x))


def prepare_optimized(x, y, weight):
    weighted_square_error(x, y, weight)  # compiles
    return weighted_square_error


def optimized(kernel, x, y, weight):
    return kernel(x, y, weight)


def cost(count):
    return dict(flops=4 * count, bytes=24 * count, baseline_bytes=72 * count, optimized_bytes=24 * count)
