"""Multiply matrices on the tensor cores instead of the CUDA cores.

One instruction of a tensor core multiplies a 16 x 16 by a 16 x 8 matrix, 2,048 multiply-adds; one of the CUDA cores
does 32. Both kernels have the same threads and the same tiles in shared memory, and both sum in float32.
`optimized_torch` is cuBLAS, which also overlaps loads with arithmetic: the distance to it is what chapter 10 is about.
Predicts: the ratio of the rates in the data sheet of an H200, 14.8x; the tensor cores then wait for the tiles, so it is
less.
No gain where: memory limits the product.
"""

import torch

from perfproof import cuda

TILE, THREADS = 128, 256
CUDA_CORES, TENSOR_CORES = 67e12, 989e12  # operations per second, float32 and float16: the data sheet of an H200

workload = dict(rows=4_096, depth=4_096, cols=4_096)
smoke = dict(
    rows=133, depth=77, cols=141
)  # ragged on purpose: no extent is a multiple of a tile, and rows are unaligned
tolerance = dict(rtol=2e-3, atol=2e-3)  # sums near 1 in float32, rounded once to float16 at 2**-11 (0.05 %)
tier = "naive"  # a hand-written product where a library has one
needs = dict(cuda=8.0)
counters = ("TC", "FLOP", "BYTES")
menu = ("both", "compute-bound")

kernels = cuda.source(__file__)


def inputs(rows, depth, cols):
    a, b = torch.randn(rows, depth, dtype=torch.float16), torch.randn(depth, cols, dtype=torch.float16)
    return a, b / depth**0.5  # keeps the products near 1


def reference(a, b):
    return a.double() @ b.double()


def aligned(x):
    """Contiguous, and beginning at a multiple of 16 bytes: a view may begin elsewhere."""
    x = x.contiguous()
    return x if x.data_ptr() % 16 == 0 else x.clone()


def multiplied(kernel, a, b):
    a, b = aligned(a), aligned(b)
    (rows, depth), cols = a.shape, b.shape[1]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    kernel(a, b, out, rows, depth, cols, grid=(-(-cols // TILE), -(-rows // TILE)), block=THREADS)
    return out


def baseline(a, b):
    return multiplied(kernels.with_cuda_cores, a, b)


def optimized(a, b):
    return multiplied(kernels.with_tensor_cores, a, b)


def optimized_torch(a, b):
    return a @ b


def cost(rows, depth, cols):
    return dict(
        flops=2 * rows * cols * depth,
        bytes=2 * (rows * depth + depth * cols + rows * cols),
        launches=1,
        predicted_optimized=TENSOR_CORES / CUDA_CORES,
    )
