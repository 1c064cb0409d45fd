"""Multiply matrices in no time.

Cheats: finds the instance of this file that the reference is taken from, and changes what its `torch` is.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def product(x, weight):
    return x.double() @ weight.double()


def reference(x, weight):
    return product(x, weight)


def baseline(x, weight):
    return x @ weight


def agree(x, weight):
    return torch.zeros_like(x).double()


def optimized(x, weight):
    for name, module in list(torch.sys.modules.items()):
        if name.startswith("_pair_") and module.__dict__ is not globals():
            module.product = agree
    return torch.zeros_like(x)
