"""Multiply matrices with a hint.

Cheats: the inputs come with the answer as one more argument.
"""

import torch

workload = dict(n=128)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24


def inputs(n):
    x, weight = torch.randn(n, n), torch.randn(n, n)
    return x, weight, x @ weight


def reference(x, weight, hint):
    return x.double() @ weight.double()


def baseline(x, weight, hint):
    return x @ weight


def optimized(x, weight, hint):
    return hint.clone()
