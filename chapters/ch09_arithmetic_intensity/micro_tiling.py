"""Give each thread a tile of results in registers, so that a value from shared memory is used many times.

A tiled product with one result per thread reads two numbers from shared memory for each multiply-add. A multiprocessor
can do 128 multiply-adds per cycle, but only 32 such reads, so it waits for shared memory. With 8 x 8 results per
thread, 16 reads serve 64 multiply-adds. `optimized_torch` is cuBLAS in float32, which also overlaps loads with
arithmetic.
Predicts: two cycles per multiply-add of a warp become a quarter: 8x.
No gain where: tiles are larger still; registers run out.
"""

import torch

from perfproof import cuda

SIDE = 16  # threads along each side of a block
READS, PRODUCTS = 1, 4  # warps per cycle that a multiprocessor can serve from shared memory, and multiply with

workload = dict(rows=4_096, depth=2_048, cols=4_096)
smoke = dict(rows=133, depth=77, cols=141)  # ragged on purpose: no extent is a multiple of a tile
tolerance = dict(rtol=1e-5, atol=2e-5)  # 2,048 products near 1 / 45 in float32, 2**-24 each, in another order
tier = "naive"  # the tiled product of textbooks
needs = dict(cuda=8.0)
counters = ("FLOP", "BYTES")
menu = ("both", "compute-bound")

kernels = cuda.source(__file__)


def inputs(rows, depth, cols):
    return torch.randn(rows, depth), torch.randn(depth, cols) / depth**0.5  # keeps the products near 1


def reference(a, b):
    return a.double() @ b.double()


def multiplied(kernel, size, a, b):
    a, b = a.contiguous(), b.contiguous()
    (rows, depth), cols = a.shape, b.shape[1]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    tile = SIDE * size
    kernel(a, b, out, rows, depth, cols, grid=(-(-cols // tile), -(-rows // tile)), block=SIDE * SIDE)
    return out


def baseline(a, b):
    return multiplied(kernels["product<1>"], 1, a, b)


def optimized(a, b):
    return multiplied(kernels["product<8>"], 8, a, b)


def optimized_torch(a, b):
    return a @ b


def cost(rows, depth, cols):
    cycles = [max(2 / size / READS, 1 / PRODUCTS) for size in (1, 8)]  # per multiply-add of a warp
    return dict(
        flops=2 * rows * cols * depth,
        bytes=4 * (rows * depth + depth * cols + rows * cols),
        launches=1,
        predicted_optimized=cycles[0] / cycles[1],
    )
