"""Fetch the next slabs with `cp.async` while the tensor cores work on this one.

In the step before a block loads, waits, multiplies, and loads again. A ring of three stages has two slabs on their way
while one is multiplied; the copies go past the registers, and one barrier per slab is enough. Tile, warps and products
are the same. Predicts: load time plus product time becomes the longer of the two.
No gain where: other blocks of the multiprocessor already fill the wait.
"""

import torch

from perfproof import cuda

TILE, THREADS = 128, 256
STAGES, DEPTH, PAD = 3, 64, 8
SHARED = STAGES * 2 * TILE * (DEPTH + PAD) * 2  # bytes

workload = dict(rows=8_192, depth=8_192, cols=8_192)  # 1.1 TFLOP on 384 MiB: larger than any L2
smoke = dict(rows=301, depth=333, cols=517)  # ragged on purpose: several tiles, and the ring goes round
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_04_tensor_cores"
tier = "naive"  # a hand-written product where a library has one
needs = dict(cuda=8.0)
counters = ("TC", "STALL", "SMEM")
menu = ("both", "compute-bound")

kernels = cuda.source(__file__)


def optimized(a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    kernels.multiply_matrices(
        a, b, out, rows, depth, cols, grid=(-(-cols // TILE), -(-rows // TILE)), block=THREADS, shared=SHARED
    )
    return out


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, depth, cols):
    return dict(flops=2 * rows * cols * depth, bytes=2 * (rows * depth + cols * depth + rows * cols), launches=1)
