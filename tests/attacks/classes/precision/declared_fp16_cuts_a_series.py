"""Compute the logarithm of a factorial in half precision.

Cheats: it declares float16, which has three digits, and computes in float32 another function: Stirling's series without
its correction, which is off by up to 0.08. A format is not what the variant lowers.
"""

import torch

workload = workload_cpu = dict(elements=10_000)
tolerance = dict(rtol=1e-2, atol=1e-1)  # half precision, and some room
lowers_precision = "fp16"


def inputs(elements):
    return (1 + 9 * torch.rand(elements),)


def reference(x):
    return torch.lgamma(x.double())


def baseline(x):
    return torch.lgamma(x)


def optimized(x):
    return (x - 0.5).mul_(x.log()).sub_(x).add_(0.9189385)
