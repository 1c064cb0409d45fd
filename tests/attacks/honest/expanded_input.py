"""Add one row to all rows at once.

Honest: one of its arguments is a view in which many elements share one place.
"""

import torch

workload = dict(rows=64, cols=512)
tolerance = dict(rtol=1e-5, atol=1e-5)  # a few roundings of float32
tier = "idiomatic"


def inputs(rows, cols):
    return torch.randn(rows, cols), torch.randn(cols).expand(rows, cols)


def reference(x, row):
    return x.double() + row.double()


def baseline(x, row):
    return x + row.contiguous()


def optimized(x, row):
    return x + row


def cost(rows, cols):
    return dict(predicted_optimized=1.0)
