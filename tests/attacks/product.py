"""Multiply matrices.

No attack: the attacks beside it borrow its inputs, reference, tolerance and baseline.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return torch.mm(x, weight)


def optimized(x, weight):
    return x @ weight
