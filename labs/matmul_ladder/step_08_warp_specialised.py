"""Give fetching to a warp of its own, and let barriers instead of `__syncthreads` hand over the stages.

In the step before both warpgroups meet after every slab, and the slower one holds up the next fetch. A producer warp
waits only until a stage is empty; each consumer waits only until a stage is full. The consumers drift apart, so one
multiplies while the other waits. Tile, ring and products are the same.
Predicts: the wait at the barrier goes, a few per cent. No gain where: a second block fills that wait already.
"""

import torch

from perfproof import cuda

TILE, DEPTH, STAGES, THREADS = 128, 64, 3, 2 * 128 + 32
SHARED = STAGES * (2 * TILE * DEPTH * 2 + 16) + 1_024  # bytes: tiles, barriers, and room to align

workload = dict(rows=8_192, depth=8_192, cols=8_192)  # 1.1 TFLOP on 384 MiB: larger than any L2
smoke = dict(rows=301, depth=333, cols=517)  # ragged on purpose: several tiles, and the ring goes round
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_07_wgmma"
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="90a")
counters = ("TC", "STALL", "LAUNCH")
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
