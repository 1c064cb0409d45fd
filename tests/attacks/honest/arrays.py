"""Add up the rows of a NumPy array in one call.

Honest: NumPy instead of torch.
"""

import numpy

workload = dict(rows=64, cols=512)
tolerance = dict(rtol=1e-10, atol=1e-10)  # sums of 512 in float64, in another order
tier = "idiomatic"


def inputs(rows, cols):
    return numpy.random.randn(rows, cols)


def reference(x):
    return x.sum(1)


def baseline(x):
    return numpy.array([row.sum() for row in x])


def optimized(x):
    return x.sum(axis=1)


def cost(rows, cols):
    return dict(predicted_optimized=1.0)
