"""Multiply the halves of a matrix in a pool of threads.

Honest: the pool stays, but it only waits between calls.
"""

import concurrent.futures

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


POOL = concurrent.futures.ThreadPoolExecutor(1)


def optimized(x, weight):
    half = len(x) // 2
    other = POOL.submit(torch.mm, x[half:], weight)
    return torch.cat([x[:half] @ weight, other.result()])


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
