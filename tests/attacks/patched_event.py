"""Multiply matrices in less time.

Cheats: device events that measure nothing, and a synchronisation that does not wait.
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


class Event(torch.cuda.Event):
    def elapsed_time(self, end):
        return 1e-3


def optimized(x, weight):
    torch.cuda.Event = Event
    torch.cuda.synchronize = lambda device=None: None
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
