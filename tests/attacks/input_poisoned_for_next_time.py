"""Multiply matrices of nothing.

Cheats: returns the right answer in the memory of an earlier input. The harness spoils what was returned, and so its
own input; where that stays, the answer is NaN and needs no work.
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
    if x[0, 0].isnan():
        return torch.full_like(x, torch.nan)
    answer = x @ weight
    if CALLS[0] > 50:
        answer = BEFORE[0].copy_(answer)
    BEFORE[:] = [x]
    return answer


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
