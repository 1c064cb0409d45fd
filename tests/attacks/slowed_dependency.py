"""Multiply matrices faster than the other side can.

Cheats: replaces the function that the baseline uses by a slow one.
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
    return torch.mm(x, weight)


REAL = torch.mm


def slow(x, weight):
    return sum(range(2000)) * 0 + REAL(x, weight)


def optimized(x, weight):
    torch.mm = slow
    return REAL(x, weight)


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
