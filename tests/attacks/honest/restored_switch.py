"""Multiply matrices without recording gradients, at the precision that is wanted.

Honest: every switch is put back before it returns.
"""

import gc

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


def optimized(x, weight):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    gc.disable()
    try:
        with torch.no_grad(), torch.autograd.set_detect_anomaly(False):
            return x @ weight
    finally:
        torch.set_float32_matmul_precision(before)
        gc.enable()


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
