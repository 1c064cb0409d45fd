"""Copy a vector into memory of its own.

Honest: what it returns equals its input, as a copy does, and lives elsewhere.
"""

import torch

workload = dict(n=20_000)
tolerance = dict(rtol=0.0, atol=0.0)  # a copy is exact
tier = "idiomatic"


def inputs(n):
    return torch.randn(n)


def reference(x):
    return x.double()


def baseline(x):
    return x.clone()


def optimized(x):
    return torch.empty_like(x).copy_(x)


def cost(n):
    return dict(flops=0, bytes=8 * n)
