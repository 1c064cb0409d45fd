"""Multiply with `wgmma`: four warps and one instruction, with both factors read from shared memory.

`mma.sync` takes its factors from registers: a warp first loads them with `ldmatrix`, and the register file and the
issue slots limit it to about 60 % of Hopper's tensor cores. `wgmma` reads tiles from shared memory by itself and runs
while its warps do something else. Tile, ring and producer are the same. `optimized_torch` is cuBLAS: the distance to it
is the result to look at.
Predicts: the ratio of the two rates, about 1.5x.
No gain where: tiles arrive too late.
"""

import torch

from perfproof import cuda

ROWS, COLS, DEPTH, STAGES = 128, 256, 64, 4
WORKERS = 256  # threads that multiply
STAGE = 2 * (ROWS + COLS) * DEPTH  # bytes
BY_WARPS, BY_GROUPS = 0.62, 0.9  # share of the tensor cores' peak that the instruction reaches, as reported elsewhere

workload = dict(rows=8_192, cols=8_192, depth=8_192)  # 1.1 TFLOP
smoke = dict(rows=141, cols=277, depth=523)  # ragged on purpose: edges are cut, rows are unaligned, the ring goes round
tolerance = dict(rtol=8e-3, atol=8e-3)  # sums near 1 in float32, rounded once to bfloat16 at 2**-9 (0.2 %)
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="90a")
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


def multiplied(kernel, a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    grid = -(-rows // ROWS) * -(-cols // COLS)
    kernel(*tiles(a, b, ROWS, COLS), out, rows, cols, depth, grid=grid, block=WORKERS + 128, shared=STAGES * STAGE)
    return out


def baseline(a, b):
    return multiplied(kernels["product<false>"], a, b)


def optimized(a, b):
    return multiplied(kernels["product<true>"], a, b)


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, cols, depth):
    return dict(
        flops=2 * rows * cols * depth,
        bytes=2 * (rows * depth + cols * depth + rows * cols),
        launches=1,
        predicted_optimized=BY_GROUPS / BY_WARPS,
    )
