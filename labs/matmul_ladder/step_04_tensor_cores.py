"""Multiply the tiles on the tensor cores instead of the CUDA cores.

One `mma` of a warp multiplies 16 x 16 by 16 x 8, 2,048 multiply-adds where an instruction of the CUDA cores does 32;
`ldmatrix` brings four 8 x 8 matrices from shared memory in the layout that it wants. The tile of a block stays 128 x
128; a slab of it is 64 deep, four `mma`.
Predicts: the ratio of the rates in the data sheet of an H200 is 14.8x, and it is less: the tensor cores wait for the
tiles, which nothing fetches ahead. That is the next step.
No gain where: memory limits the product.
"""

import torch

from perfproof import cuda

TILE, THREADS = 128, 256
CUDA_CORES, TENSOR_CORES = 67e12, 989e12  # operations per second, float32 and bfloat16: data sheet of an H200

workload = dict(rows=2_048, depth=2_048, cols=2_048)  # 17 GFLOP: the first steps take milliseconds
# Ragged on purpose: no extent is a multiple of a tile, and rows are unaligned.
smoke = dict(rows=133, depth=77, cols=141)
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_03_register_tiles"
tier = "naive"  # a hand-written product where a library has one
needs = dict(cuda=8.0)
counters = ("TC", "FLOP", "STALL")
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
    return dict(
        flops=2 * rows * cols * depth,
        bytes=2 * (rows * depth + cols * depth + rows * cols),
        launches=1,
        predicted_optimized=TENSOR_CORES / CUDA_CORES,
    )
