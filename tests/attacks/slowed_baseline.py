"""Multiply matrices faster than the other side can.

Cheats: finds the baseline's instance of this file and gives it more to do.
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


ROUNDS = 1


def baseline(x, weight):
    sum(range(ROUNDS))
    return x @ weight


def optimized(x, weight):
    for name, module in list(torch.sys.modules.items()):
        if name.startswith("_pair_") and module.__dict__ is not globals():
            module.ROUNDS = 3000
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
