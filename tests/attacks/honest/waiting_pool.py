"""Multiply the halves of a matrix in a pool of threads.

Honest: the pool stays, but it only waits between calls.
"""

import concurrent.futures

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


POOL = concurrent.futures.ThreadPoolExecutor(1)


def optimized(x, weight):
    half = len(x) // 2
    other = POOL.submit(torch.mm, x[half:], weight)
    return torch.cat([x[:half] @ weight, other.result()])
