"""Multiply with `tcgen05` on Blackwell: one thread gives the tensor cores whole tiles, and sums stay in tensor memory.

`mma.sync` still works there, but its factors and sums pass through the registers of every warp. `tcgen05.mma` reads
both factors from shared memory and sums up 128 x 256 results in a memory of the tensor cores. One thread starts it, and
a barrier tells when it is over. Tile, ring and producer are the same. `optimized_torch` is cuBLAS, which also lets two
processors share one product. Needs sm_100a: compiled for it and emulated, not measured.
Predicts: the ratio of the rates, about 3x.
No gain where: tiles arrive too late.
"""

import torch

from perfproof import cuda

ROWS, COLS, DEPTH, STAGES = 128, 256, 64, 4
WORKERS = 256  # threads that multiply
STAGE = 2 * (ROWS + COLS) * DEPTH  # bytes
# Share of the tensor cores' peak, estimated.
BY_WARPS, BY_TENSOR_MEMORY = 0.3, 0.9

workload = dict(rows=8_192, cols=8_192, depth=8_192)  # 1.1 TFLOP
smoke = dict(rows=141, cols=277, depth=523)  # ragged on purpose: edges are cut, rows are unaligned, the ring goes round
tolerance = dict(rtol=8e-3, atol=8e-3)  # sums near 1 in float32, rounded once to bfloat16 at 2**-9 (0.2 %)
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="100a")
menu = ("both", "compute-bound")
counters = ("TC", "FLOP")

kernels = cuda.source(__file__, defines={"STAGES": STAGES})


def inputs(rows, cols, depth):
    a, b = torch.randn(rows, depth, dtype=torch.bfloat16), torch.randn(cols, depth, dtype=torch.bfloat16)
    return a, b / depth**0.5  # keeps the products near 1


def reference(a, b):
    return a.double() @ b.double().T


def tiles(a, b, rows, cols):
    """Descriptors of boxes of both factors, as deep as a stage."""
    return (cuda.tensor_map(x, box=(side, DEPTH), swizzle="128B") for x, side in ((a, rows), (b, cols)))


def multiplied(kernel, threads, a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    grid = -(-rows // ROWS) * -(-cols // COLS)
    kernel(*tiles(a, b, ROWS, COLS), out, rows, cols, depth, grid=grid, block=threads, shared=STAGES * STAGE)
    return out


def baseline(a, b):
    return multiplied(kernels.by_warps, WORKERS + 128, a, b)


def optimized(a, b):
    return multiplied(kernels.by_tensor_memory, 192, a, b)


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, cols, depth):
    return dict(
        flops=2 * rows * cols * depth,
        bytes=2 * (rows * depth + cols * depth + rows * cols),
        launches=1,
        predicted_optimized=BY_TENSOR_MEMORY / BY_WARPS,
    )
