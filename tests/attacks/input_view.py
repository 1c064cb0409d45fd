"""Copy a vector at once.

Cheats: returns a view of its input, which is no copy.
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
    return x.view(-1)


def cost(n):
    return dict(flops=0, bytes=8 * n)
