"""Multiply matrices and keep the machine busy.

Cheats: a thread that it has started goes on after the call has returned, and the other side pays for it.
"""

import threading

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


STARTED = []


def burn():
    while True:
        sum(range(1000))


def optimized(x, weight):
    if not STARTED:
        STARTED.append(threading.Thread(target=burn, daemon=True).start())
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
