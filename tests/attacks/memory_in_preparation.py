"""Compute in less memory.

Cheats: the memory is taken in the preparation, where it is not counted.
"""

import torch

workload = dict(n=280_000)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a few roundings of float32
claim = "memory"


def inputs(n):
    return torch.randn(n)


def reference(x):
    return (x.double() * 2 + 1).tanh()


def baseline(x):
    return (x * 2 + 1).tanh()


def prepare_optimized(x):
    return torch.zeros_like(x)


def optimized(out, x):
    return torch.mul(x, 2, out=out).add_(1).tanh_()
