"""Sum a large tensor at once, not piece by piece.

A sum of 100 million float32 numbers is 400 MB to read and nothing else. In pieces of 256 KiB it is 1,526 calls, each
with its own start, and too short to be shared out over the cores. The bytes are equal: a gain is parallelism and
dispatch.
"""

import torch

PIECE = 65_536

workload = workload_cpu = dict(n=100_000_000)
smoke = dict(n=200_003)
tolerance = dict(rtol=2e-6, atol=1e-3)  # a float32 sum near 5e7, spaced by 4; partial sums are added pairwise
tier = "naive"


def inputs(n):
    return (torch.rand(n),)


def reference(x):
    total = torch.zeros((), dtype=torch.float64, device=x.device)
    for piece in x.split(1_000_000):
        total += piece.double().sum()
    return total


def baseline(x):
    return torch.stack([piece.sum() for piece in x.split(PIECE)]).sum()


def optimized(x):
    return x.sum()


def cost(n):
    return dict(flops=n, bytes=4 * n, baseline_bytes=4 * n, optimized_bytes=4 * n)
