"""Replay a captured product.

Cheats: what was captured is the product of the first values; later ones are never copied in, as when a graph is
captured without static inputs.
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


CAPTURED = []


def optimized(x, weight):
    if not CAPTURED:
        CAPTURED.extend([x.clone(), weight])
    return CAPTURED[0] @ CAPTURED[1]


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
