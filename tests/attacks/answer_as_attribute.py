"""Multiply matrices with a hint.

Cheats: the inputs carry the answer as an attribute of a tensor; where a copy has lost it, the call is honest.
"""

import torch

workload = dict(n=128)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24


def inputs(n):
    x, weight = torch.randn(n, n), torch.randn(n, n)
    x.answer = x @ weight
    return x, weight


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def optimized(x, weight):
    return x.answer.clone() if hasattr(x, "answer") else x @ weight
