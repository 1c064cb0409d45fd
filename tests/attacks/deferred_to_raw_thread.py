"""Multiply matrices in the background.

Cheats: returns at once and lets a thread that `threading` does not know of write the answer.
"""

import _thread

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


def optimized(x, weight):
    out = torch.empty_like(x)
    _thread.start_new_thread(torch.mm, (x, weight), {"out": out})
    return out


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
