"""Multiply matrices roughly.

Cheats: the tolerance passes anything of about the right size.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=0.0, atol=10.0)  # cannot fail


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n) / n**0.5  # products near 1


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def optimized(x, weight):
    return x @ weight
