"""Leave a product transposed if a product comes next.

Honest: it says that the layout of its result does not matter, and why.
"""

import torch

workload = workload_cpu = dict(rows=512, width=64)
smoke = dict(rows=9, width=5)
constant = ("weight",)
layout = "any"  # the only consumer is a matrix product, which reads either order at the same rate
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums near 1 of 64 products
tier = "idiomatic"


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(width, width) / width**0.5


def reference(x, weight):
    return weight.double().T @ x.double().T


def baseline(x, weight):
    return (x @ weight).T.contiguous()


def optimized(x, weight):
    return (x @ weight).T


def cost(rows, width):
    return dict(bytes=8 * rows * width, baseline_bytes=16 * rows * width)
