"""Let the tensor memory accelerator fetch the tiles: one thread asks, and no thread computes addresses.

With `cp.async` each of 256 threads computes eight addresses per slab and keeps them in registers. From Hopper on one
instruction brings a whole box of a matrix that a descriptor describes, edges included; a barrier counts its bytes. The
engine swizzles the box, so rows need no padding. Ring, warps and products are the same.
Predicts: the same bytes and products with fewer instructions: a few per cent.
No gain where: the products are the limit.
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
baseline = "step_05_cp_async"
tier = "naive"  # a hand-written product where a library has one
needs = dict(cuda=9.0)
counters = ("TC", "TMA", "STALL")
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
