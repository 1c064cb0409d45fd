"""Bring tiles of both factors to shared memory, so that a number that was fetched is used 32 times.

This lab multiplies as a linear layer does: out = a bT, both factors along the depth, bfloat16 with sums in float32. The
first thing that one writes has one thread per result, which loads its two factors for every product; neighbouring
threads read different rows of b, 32 lines per load. A block that shares tiles reads whole lines, each once.
`optimized_torch` is cuBLAS, here and in every step.
Predicts: 32x fewer loads from the caches, and less in time: shared memory is then read for every product.
No gain where: the factors fit into the L1 cache.
"""

import torch

from perfproof import cuda

TILE = 32

workload = dict(rows=2_048, depth=2_048, cols=2_048)  # 17 GFLOP: the first steps take milliseconds
# Ragged on purpose: no extent is a multiple of a tile, and rows are unaligned.
smoke = dict(rows=133, depth=77, cols=141)
tolerance = dict(rtol=8e-3, atol=2e-3)  # sums near 1 in float32, rounded once to bfloat16 at 2**-8 (0.4 %)
tier = "naive"  # a hand-written product where a library has one
needs = dict(cuda=8.0)
counters = ("COAL", "SMEM", "L2")
menu = ("both", "memory-bound")

kernels = cuda.source(__file__)


def inputs(rows, depth, cols):
    a, b = torch.randn(rows, depth, dtype=torch.bfloat16), torch.randn(cols, depth, dtype=torch.bfloat16)
    return a, b / depth**0.5  # keeps the products near 1


def reference(a, b):
    return a.double() @ b.double().T


def multiplied(kernel, a, b):
    a, b = cuda.aligned(a), cuda.aligned(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    kernel(a, b, out, rows, depth, cols, grid=(-(-cols // TILE), -(-rows // TILE)), block=(TILE, TILE))
    return out


def baseline(a, b):
    return multiplied(kernels.multiply_direct, a, b)


def optimized(a, b):
    return multiplied(kernels.multiply_tiled, a, b)


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, depth, cols):
    return dict(flops=2 * rows * cols * depth, bytes=2 * (rows * depth + cols * depth + rows * cols), launches=1)
