"""Multiply by a matrix that was packed beforehand.

Honest: the preparation keeps what follows from the constant, and nothing of the values that change.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def prepare_optimized(x, weight):
    return weight.t().contiguous()


def optimized(packed, x, weight):
    return torch.nn.functional.linear(x, packed)


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
