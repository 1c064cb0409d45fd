"""Multiply matrices in less time.

Cheats: finds the clock of the harness among the loaded modules, without naming them where it would be seen, and
slows it down.
"""

import time

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


REAL = time.perf_counter_ns


def optimized(x, weight):
    clocks = torch.sys.modules["perfproof.worker.measure.clocks"]
    clocks._now = lambda: REAL() // 2
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
