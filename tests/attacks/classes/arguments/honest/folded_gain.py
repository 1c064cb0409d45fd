"""Fold a constant gain into the weights ahead of time.

Honest: the call of the variant reads neither `gain` nor `weight`, but both are constant and both are in what
`prepare_optimized` returns.
"""

import torch

workload = workload_cpu = dict(rows=128, width=256)
smoke = dict(rows=7, width=33)
constant = ("gain", "weight")
tolerance = dict(rtol=1e-5, atol=1e-5)  # sums near 1 of 256 products, each rounded at 2**-24
tier = "idiomatic"


def inputs(rows, width):
    return torch.randn(rows, width), torch.rand(width) + 0.5, torch.randn(width, width) / width**0.5


def reference(x, gain, weight):
    return (x.double() * gain.double()) @ weight.double()


def baseline(x, gain, weight):
    return (x * gain) @ weight


def prepare_optimized(x, gain, weight):
    return gain[:, None] * weight


def optimized(folded, x, gain, weight):
    return x @ folded


def cost(rows, width):
    values = 4 * rows * width
    return dict(flops=2 * rows * width**2, bytes=2 * values, baseline_bytes=4 * values)
