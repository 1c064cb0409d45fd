"""Multiply matrices on the tensor cores.

Cheats: inside a contract of float32 the product is computed in half precision and widened again.
"""

import torch

workload = dict(n=1024)
smoke = dict(n=65)
constant = ("weight",)
tolerance = dict(rtol=1e-3, atol=1e-2)  # sums of 1024 products near 1, rounded at 2**-24; half precision would pass
tier = "idiomatic"
needs = dict(cuda=7.0)


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def optimized(x, weight):
    return (x.half() @ weight.half()).float()


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
