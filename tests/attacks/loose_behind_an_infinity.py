"""Multiply matrices roughly.

Cheats: the tolerance passes anything of about the right size; one element of the answer is infinite, which no wrong
answer has.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=0.0, atol=10.0)  # cannot fail


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n) / n**0.5  # products near 1


def with_infinity(product):
    product[0, 0] = torch.inf
    return product


def reference(x, weight):
    return with_infinity(x.double() @ weight.double())


def baseline(x, weight):
    return with_infinity(x @ weight)


def optimized(x, weight):
    return with_infinity(x @ weight)
