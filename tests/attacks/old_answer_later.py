"""Multiply matrices faster after warming up.

Cheats: honest for fifty calls, by which time it has surely been verified; then the fiftieth answer is returned for
ever.
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


CALLS = [0]
LAST = []


def optimized(x, weight):
    CALLS[0] += 1
    if CALLS[0] < 50:
        LAST[:] = [x @ weight]
    return LAST[0].clone()


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
