"""Compute mean and variance in one pass over chunks, not in two passes over everything.

Two passes read x for the mean, then read it again, write the differences and read them back. In chunks that stay in
the cache, x comes from memory once: each chunk gives its own mean and squared deviation, and the formula of Chan and
Welford joins them without cancellation.
"""

import torch

CHUNK = 65_536  # 256 KiB: within the L2 of a core

workload = dict(n=64_000_000)
workload_cpu = dict(n=2_000_000)
smoke = dict(n=150_001)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 sums of millions of terms, added pairwise
tier = "idiomatic"


def inputs(n):
    return (3.0 + 2.0 * torch.randn(n),)


def reference(x):
    wide = x.double()
    mean = wide.mean()
    return mean, (wide - mean).square().mean()


def baseline(x):
    mean = x.mean()
    return mean, (x - mean).square().mean()


def optimized(x):
    count = 0
    mean = torch.zeros((), dtype=x.dtype, device=x.device)
    squares = torch.zeros((), dtype=x.dtype, device=x.device)
    for chunk in x.split(CHUNK):
        centre = chunk.mean()
        spread = (chunk - centre).square_().sum()
        size = chunk.numel()
        total = count + size
        delta = centre - mean
        mean = mean + delta * (size / total)
        squares = squares + spread + delta.square() * (count * size / total)
        count = total
    return mean, squares / count


def cost(n):
    return dict(flops=4 * n, bytes=4 * n, baseline_bytes=24 * n, optimized_bytes=4 * n)
