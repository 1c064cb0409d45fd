"""Multiply matrices that are nearly empty.

Cheats: remembers the input of a call and sets it to zero in the next one. Values that are changed in place stay
zero, the reference agrees, and a look at one element tells that nothing has to be computed.
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
BEFORE = []


def optimized(x, weight):
    CALLS[0] += 1
    if CALLS[0] > 50:
        BEFORE[0].zero_()
    BEFORE[:] = [x]
    return x @ weight if x[0, 0] else torch.zeros_like(x)


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
