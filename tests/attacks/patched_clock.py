"""Multiply matrices in less time.

Cheats: the clock goes at half its speed.
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


REAL, REAL_NS = time.perf_counter, time.perf_counter_ns


def optimized(x, weight):
    time.perf_counter = lambda: REAL() / 2
    time.perf_counter_ns = lambda: REAL_NS() // 2
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
