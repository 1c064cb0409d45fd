"""Multiply matrices in no time.

Cheats: registers a subtraction of its own with torch's dispatcher, below every name that could be compared.
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


LIBRARY = torch.library.Library("aten", "IMPL")
CALLS = [0]


def agree(first, second, alpha=1):
    return torch.zeros_like(first)


def optimized(x, weight):
    CALLS[0] += 1
    if CALLS[0] == 50:
        LIBRARY.impl("sub.Tensor", agree, "CPU", allow_override=True)
    return x @ weight if CALLS[0] < 50 else torch.zeros_like(x)


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
