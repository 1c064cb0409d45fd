"""Copy a vector at once.

Cheats: returns its input instead of a copy.
"""

import torch

workload = dict(n=20_000)
tolerance = dict(rtol=0.0, atol=0.0)  # a copy is exact


def inputs(n):
    return torch.randn(n)


def reference(x):
    return x.double()


def baseline(x):
    return x.clone()


def optimized(x):
    return x
