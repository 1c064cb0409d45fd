"""Sum with numpy instead of `math.fsum`.

Honest: the baseline's sum is exact to the last bit, so any other order is further off than it. The variant's pairwise
sum in float64 is off by a few units of 1e-16.
"""

import math

import numpy

workload = workload_cpu = dict(values=2_000)
smoke = dict(values=77)
tolerance = dict(rtol=1e-13, atol=1e-13)  # float64 sums of 2,000 values near 1: a hundred units of 1e-16 times 10
tier = "idiomatic"


def inputs(values):
    return (numpy.random.rand(values),)


def reference(x):
    return math.fsum(x.tolist())


def baseline(x):
    return math.fsum(x)


def optimized(x):
    return float(x.sum())


def cost(values):
    return dict(predicted_optimized=20.0)
