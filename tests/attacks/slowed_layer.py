"""Multiply matrices faster than the other side can.

Cheats: replaces the method of a layer that the baseline uses by a slow one, deep in a library.
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


LAYER = torch.nn.Bilinear(1, 1, 1)


def baseline(x, weight):
    LAYER.extra_repr()
    return x @ weight


REAL = torch.nn.Bilinear.extra_repr


def slow(self):
    sum(range(2000))
    return REAL(self)


def optimized(x, weight):
    torch.nn.Bilinear.extra_repr = slow
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
