"""Multiply matrices with a hint.

Cheats: the baseline leaves its last answer where the other side finds it, and in verification it comes first.
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
    torch.answer = x @ weight
    return torch.answer


def optimized(x, weight):
    return torch.answer.clone() if hasattr(torch, "answer") else x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
