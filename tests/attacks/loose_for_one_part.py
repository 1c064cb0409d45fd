"""Multiply matrices and say how they were scaled.

Cheats: the tolerance is right for the product and passes anything for the scales, which have another type and are
not computed.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(
    float32=dict(rtol=1e-4, atol=1e-4),  # sums of 128 products near 1, rounded at 2**-24
    float16=dict(rtol=0.0, atol=100.0),  # cannot fail
)


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double(), x.double().abs().amax(1)


def baseline(x, weight):
    return x @ weight, x.abs().amax(1).half()


def optimized(x, weight):
    return x @ weight, torch.zeros(len(x), dtype=torch.float16)
