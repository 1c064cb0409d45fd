"""Copy a vector at once.

Cheats: copies for fifty calls, by which time it has surely been verified; then returns its input.
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


CALLS = [0]


def optimized(x):
    CALLS[0] += 1
    return x.clone() if CALLS[0] < 50 else x


def cost(n):
    return dict(flops=0, bytes=8 * n)
