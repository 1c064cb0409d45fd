"""Multiply by a transposed matrix as it lies.

Honest: its input is not contiguous.
"""

import torch

workload = dict(n=64)
tolerance = dict(rtol=1e-4, atol=1e-4)  # a few roundings of float32
tier = "idiomatic"


def inputs(n):
    return torch.randn(n, 2 * n)[:, ::2], torch.randn(n, n).t()


def reference(x, y):
    return x.double() @ y.double()


def baseline(x, y):
    return x.contiguous() @ y.contiguous()


def optimized(x, y):
    return x @ y


def cost(n):
    return dict(predicted_optimized=1.0)
