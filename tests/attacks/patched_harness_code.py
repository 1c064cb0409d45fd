"""Multiply matrices in no time.

Cheats: gives a function of the harness another body; every name still stands for the same function.
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


def agree(result, reference, tolerance, arguments=()):
    return globals()["Difference"]()  # the harness's globals, once this is its code


def optimized(x, weight):
    module = torch.sys.modules["perfproof.worker.verify.compare"]
    module.difference.__code__ = agree.__code__
    return torch.zeros_like(x)


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
