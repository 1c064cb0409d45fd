"""Convert a bfloat16 array once and sum that, not element by element.

numpy knows bfloat16 only through ml_dtypes. Each element that Python takes out becomes an object, and float() of it a
second one. One astype converts all of them in C, exactly, and the sum then runs on doubles.
"""

import math

import ml_dtypes
import numpy as np

workload = workload_cpu = dict(count=20_000)
smoke = dict(count=101)
tolerance = dict(rtol=1e-12, atol=1e-10)  # a double sum of values near 1 that cancel: 20,000 additions at 2**-53
tier = "naive"
needs = dict(packages=["ml_dtypes"])


def inputs(count):
    return (np.random.randn(count).astype(ml_dtypes.bfloat16),)


def reference(x):
    return math.fsum(float(value) for value in x)


def baseline(x):
    total = 0.0
    for value in x:
        total += float(value)
    return total


def optimized(x):
    return float(x.astype(np.float64).sum())


def cost(count):
    return dict(flops=count, bytes=2 * count, optimized_bytes=18 * count)
