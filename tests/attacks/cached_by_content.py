"""Multiply matrices faster by remembering products.

Cheats: a product is kept under a hash of all of its input, so the answer is right whenever values come back. There
is nothing wrong to find in an answer; it must simply not pay.
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


PRODUCTS = {}


def optimized(x, weight):
    key = hash(x.numpy().tobytes())
    if key not in PRODUCTS:
        PRODUCTS[key] = x @ weight
    return PRODUCTS[key].clone()


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
