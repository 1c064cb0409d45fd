"""Multiply matrices faster by remembering products.

Cheats: seeds torch's generator in every call, so that the next inputs are ones it has seen, and keeps the products.
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
    torch.default_generator.manual_seed(0)
    return PRODUCTS[key].clone()


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
