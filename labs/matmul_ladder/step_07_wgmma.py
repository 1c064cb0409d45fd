"""Multiply with `wgmma`: a warpgroup reads both factors straight from shared memory.

`mma` takes its factors from registers, so every warp first loads them with `ldmatrix`, and four warps load the same
rows of b. `wgmma` multiplies 64 x 16 by 16 x 128 for four warps at once from shared memory, and does not wait for the
result. On Hopper only it reaches the full rate of the tensor cores. Tile, ring and fetches are the same.
Predicts: up to 1.6x, because `mma` is known to stop at about 60 % of that rate. No gain where: tiles arrive too late.
"""

import torch

from perfproof import cuda

TILE, DEPTH, STAGES, THREADS = 128, 64, 3, 256
SHARED = STAGES * (2 * TILE * DEPTH * 2 + 16) + 1_024  # bytes: tiles, barriers, and room to align

workload = dict(rows=8_192, depth=8_192, cols=8_192)  # 1.1 TFLOP on 384 MiB: larger than any L2
smoke = dict(rows=301, depth=333, cols=517)  # ragged on purpose: several tiles, and the ring goes round
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_06_tma"
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="90a")
counters = ("TC", "SMEM", "STALL")
menu = ("both", "compute-bound")

kernels = cuda.source(__file__)


def described(x, rows):
    return cuda.tensor_map(x, box=(rows, DEPTH), swizzle="128B", promotion="128B")


def optimized(a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    factors = described(a, TILE), described(b, TILE)
    kernels.multiply_matrices(
        *factors, out, rows, depth, cols, grid=(-(-cols // TILE), -(-rows // TILE)), block=THREADS, shared=SHARED
    )
    return out


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, depth, cols):
    return dict(flops=2 * rows * cols * depth, bytes=2 * (rows * depth + cols * depth + rows * cols), launches=1)
