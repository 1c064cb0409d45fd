"""Let a thread compute 8 x 8 results, so that a number from shared memory is used eight times.

With one result per thread every product reads both factors from shared memory, which delivers 64 numbers per cycle
where the multiply units take 256. A thread with 8 x 8 results reads 16 numbers for 64 products. The tile of a block
grows with it, to 128 x 128, and is used 128 times per number. Predicts: reads of shared memory per product fall 8x,
and the multiply units become the limit. No gain where: the matrix has too few tiles to fill the GPU.
"""

import torch

from perfproof import cuda

TILE, THREADS = 128, 256

workload = dict(rows=2_048, depth=2_048, cols=2_048)  # 17 GFLOP: the first steps take milliseconds
# Ragged on purpose: no extent is a multiple of a tile, and rows are unaligned.
smoke = dict(rows=133, depth=77, cols=141)
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_02_vectorised"
tier = "naive"  # a hand-written product where a library has one
needs = dict(cuda=8.0)
counters = ("SMEM", "FLOP", "LAUNCH")
menu = ("both", "compute-bound")

kernels = cuda.source(__file__)


def optimized(a, b):
    a, b = cuda.aligned(a), cuda.aligned(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    kernels.multiply_matrices(a, b, out, rows, depth, cols, grid=(-(-cols // TILE), -(-rows // TILE)), block=THREADS)
    return out


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, depth, cols):
    return dict(flops=2 * rows * cols * depth, bytes=2 * (rows * depth + cols * depth + rows * cols), launches=1)
