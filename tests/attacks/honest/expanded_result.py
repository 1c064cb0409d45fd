"""Return one row for all where all rows are equal.

Honest: the result is a view of memory of its own in which many elements share one place.
"""

import torch

workload = dict(rows=64, cols=512)
tolerance = dict(rtol=1e-5, atol=1e-5)  # a few roundings of float32
tier = "idiomatic"
layout = "any"  # the next reader may read one row many times


def inputs(rows, cols):
    return torch.randn(rows, cols)


def reference(x):
    return x.double().mean(0).expand(x.shape)


def baseline(x):
    return x.mean(0).repeat(len(x), 1)


def optimized(x):
    return x.mean(0).expand(x.shape)


def cost(rows, cols):
    return dict(predicted_optimized=1.0)
