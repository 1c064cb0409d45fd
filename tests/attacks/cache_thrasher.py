"""Multiply matrices with a clean cache.

Cheats: empties the caches after its work so that the baseline starts cold. It pays for that itself, so it must not
be judged faster.
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


WASTE = torch.zeros(1 << 18)


def optimized(x, weight):
    answer = x @ weight
    WASTE.add_(1)
    return answer


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
