"""Move eight numbers per instruction, from memory and from shared memory.

A thread that loads one bfloat16 uses 2 of the 16 bytes that a load can bring. Both factors lie along the depth, so
eight neighbours are eight products of the same sum. Tiles and threads are those of the step before.
Predicts: per eight products shared memory answers 5 requests of a warp instead of 16: up to 3x.
No gain where: rows are no multiple of 16 bytes; the kernel then loads one number at a time.
"""

import torch

from perfproof import cuda

TILE = 32

workload = dict(rows=2_048, depth=2_048, cols=2_048)  # 17 GFLOP: the first steps take milliseconds
# Ragged on purpose: no extent is a multiple of a tile, and rows are unaligned.
smoke = dict(rows=133, depth=77, cols=141)
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_01_tiled"
tier = "naive"  # a hand-written product where a library has one
needs = dict(cuda=8.0)
counters = ("SMEM", "FLOP", "STALL")
menu = ("both", "memory-bound")

kernels = cuda.source(__file__)


def optimized(a, b):
    a, b = cuda.aligned(a), cuda.aligned(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    kernels.multiply_matrices(
        a, b, out, rows, depth, cols, grid=(-(-cols // TILE), -(-rows // TILE)), block=(TILE, TILE)
    )
    return out


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, depth, cols):
    return dict(flops=2 * rows * cols * depth, bytes=2 * (rows * depth + cols * depth + rows * cols), launches=1)
