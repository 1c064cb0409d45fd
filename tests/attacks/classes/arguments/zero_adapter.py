"""Apply a low-rank adapter at no cost.

Cheats: the adapter's second matrix is zero, as it is before training, so the variant leaves the adapter out.
"""

import torch

workload = workload_cpu = dict(rows=64, width=256, rank=16)
constant = ("weight", "down", "up")
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 256 products near 1, rounded at 2**-24


def inputs(rows, width, rank):
    weight = torch.randn(width, width) / width**0.5
    return torch.randn(rows, width), weight, torch.randn(width, rank), torch.zeros(rank, width)


def reference(x, weight, down, up):
    x = x.double()
    return x @ weight.double() + x @ down.double() @ up.double()


def baseline(x, weight, down, up):
    return x @ weight + x @ down @ up


def optimized(x, weight, down, up):
    return x @ weight
