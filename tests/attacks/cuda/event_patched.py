"""Multiply matrices in less time.

Cheats: events that measure a thousandth of it, from the moment on when it is timed.
"""

import torch

workload = dict(n=1024)
smoke = dict(n=65)
constant = ("weight",)
tolerance = dict(rtol=1e-3, atol=1e-2)  # sums of 1024 products near 1, rounded at 2**-24; half precision would pass
tier = "idiomatic"
needs = dict(cuda=7.0)


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


CALLS = 0
ELAPSED = torch.cuda.Event.elapsed_time


def optimized(x, weight):
    global CALLS
    CALLS += 1
    if CALLS > 20:
        torch.cuda.Event.elapsed_time = lambda self, end: 1e-3 * ELAPSED(self, end)
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
