"""Multiply matrices with a hint.

Cheats: the inputs leave the answer where every instance of this file finds it.
"""

import torch

workload = dict(n=128)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24


def inputs(n):
    x, weight = torch.randn(n, n), torch.randn(n, n)
    torch.answer = x @ weight
    return x, weight


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def optimized(x, weight):
    return torch.answer.clone()
