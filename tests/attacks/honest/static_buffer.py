"""Write products into one buffer that is used again and again.

Honest: the same memory is returned by every call, with the right answer in it each time.
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


BUFFERS = {}


def optimized(x, weight):
    out = BUFFERS.setdefault(x.shape, torch.empty_like(x))
    return torch.mm(x, weight, out=out)


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
