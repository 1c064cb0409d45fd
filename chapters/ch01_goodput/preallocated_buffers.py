"""Write a step's large temporaries into buffers that exist, so that no step pays for fresh memory.

On Linux, glibc hands an allocation of 32 MiB or more back to the system when it is freed, and the next step gets new
pages: 8,192 faults of 4 KiB, each zeroed, for a temporary that the arithmetic fills in milliseconds. Writing into a
kept buffer (`out=`) takes none of them. The bytes that the program itself moves are equal on both sides, 12 for each
element, so the byte count predicts no gain: the whole difference is faults. Smaller blocks glibc mostly recycles by
itself, and on a GPU PyTorch's caching allocator recycles all of them: there expect "same", and keep the shorter code.
"""

import torch

LIMIT = 1.5

workload = dict(rows=4_096, cols=16_384)  # a temporary of 256 MiB: larger than any L2
workload_cpu = dict(rows=512, cols=16_384)  # a temporary of 32 MiB: the least that is never recycled
smoke = dict(rows=5, cols=777)
tolerance = dict(rtol=2e-6, atol=5e-7)  # a float32 mean of values up to 1.5: partial sums rounded at 2**-24 (6e-8)
tier = "idiomatic"
menu = ("both", "allocation-bound")


def inputs(rows, cols):
    return (torch.randn(rows, cols),)


def reference(x):
    return torch.stack([row.double().clamp(-LIMIT, LIMIT).mean() for row in x])


def baseline(x):
    clipped = torch.clamp(x, -LIMIT, LIMIT)
    return clipped.mean(-1)


def prepare_optimized(x):
    return torch.empty_like(x)


def optimized(clipped, x):
    torch.clamp(x, -LIMIT, LIMIT, out=clipped)
    return clipped.mean(-1)


def cost(rows, cols):
    moved = 12 * rows * cols  # read x, write the temporary, read it back
    return dict(flops=3 * rows * cols, bytes=4 * rows * cols, baseline_bytes=moved, optimized_bytes=moved)
