"""Load the next tile while you multiply this one: two buffers in shared memory instead of one.

With one buffer a block loads a tile, waits, multiplies, waits. The tensor cores idle for the latency of every load.
With two buffers the loads of the next tile are started first, into registers, and land in the other buffer after the
products. Tile, warps and instructions are the same. Predicts: load plus multiply over the longer of the two, about
1.6x. No gain where: other blocks on the same processor fill the wait. `optimized_torch` is cuBLAS.
"""

import torch

from perfproof import cuda

TILE, THREADS, DEPTH = 128, 256, 64
BUFFER = 2 * 2 * TILE * DEPTH  # bytes: a tile of each factor
LOAD, MULTIPLY = 0.8e-6, 0.47e-6  # seconds per step, estimated: latency of device memory; 2.1 MFLOP at 4.5 TFLOP/s

workload = dict(rows=4_096, cols=4_096, depth=4_096)  # 137 GFLOP
smoke = dict(rows=133, cols=141, depth=523)  # ragged on purpose: no extent is a multiple of a tile, or of 16 bytes
tolerance = dict(rtol=8e-3, atol=8e-3)  # sums near 1 in float32, rounded once to bfloat16 at 2**-9 (0.2 %)
tier = "naive"  # a hand-written product where a library has one
needs = dict(cuda=8.0)
menu = ("both", "compute-bound")
counters = ("STALL", "TC")

kernels = cuda.source(__file__)


def inputs(rows, cols, depth):
    a, b = torch.randn(rows, depth, dtype=torch.bfloat16), torch.randn(cols, depth, dtype=torch.bfloat16)
    return a, b / depth**0.5  # keeps the products near 1


def reference(a, b):
    return a.double() @ b.double().T


def multiplied(kernel, buffers, a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    grid = (-(-cols // TILE), -(-rows // TILE))
    kernel(a, b, out, rows, cols, depth, grid=grid, block=THREADS, shared=buffers * BUFFER)
    return out


def baseline(a, b):
    return multiplied(kernels["product<1>"], 1, a, b)


def optimized(a, b):
    return multiplied(kernels["product<2>"], 2, a, b)


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, cols, depth):
    return dict(
        flops=2 * rows * cols * depth,
        bytes=2 * (rows * depth + cols * depth + rows * cols),
        launches=1,
        predicted_optimized=(LOAD + MULTIPLY) / max(LOAD, MULTIPLY),
    )
