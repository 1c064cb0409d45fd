"""Run a residual block with a layer scale faster.

Cheats: the branch is multiplied by 1e-4, which is below the tolerance, so the variant returns a copy of its input.
"""

import torch

SCALE = 1e-4

workload = workload_cpu = dict(rows=64, width=192)
constant = ("weight",)
tolerance = dict(rtol=1e-3, atol=1e-3)  # the next layer rounds to three digits anyway


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(width, width) / width**0.5


def reference(x, weight):
    x = x.double()
    return x + SCALE * torch.tanh(x @ weight.double())


def baseline(x, weight):
    return x + SCALE * torch.tanh(x @ weight)


def optimized(x, weight):
    return x + 0.0
