"""Give one warp group the loads and the others the products, so that no barrier stops all warps.

If the threads that multiply also request tiles, all of them need a barrier before a stage is filled again, and every
step takes as long as the slowest warp. With two roles, a producer waits for empty stages and requests tiles; workers
wait for full stages and multiply. Registers that the producer does not need go to the workers. Tile, ring and products
are the same. `optimized_torch` is cuBLAS.
Predicts: one barrier per step less: about 1.1x.
No gain where: the wait at the barrier is short beside a step.
"""

import torch

from perfproof import cuda

ROWS, COLS, DEPTH, STAGES = 128, 256, 64, 4
WORKERS = 256  # threads that multiply
STAGE = 2 * (ROWS + COLS) * DEPTH  # bytes
MEET, MULTIPLY = 0.08e-6, 0.66e-6  # seconds per step, estimated: a barrier of 256 threads; 4.2 MFLOP at 6.3 TFLOP/s

workload = dict(rows=8_192, cols=8_192, depth=2_048)  # 275 GFLOP
smoke = dict(rows=141, cols=277, depth=523)  # ragged on purpose: edges are cut, rows are unaligned, the ring goes round
tolerance = dict(rtol=8e-3, atol=8e-3)  # sums near 1 in float32, rounded once to bfloat16 at 2**-9 (0.2 %)
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="90a")
menu = ("both", "compute-bound")
counters = ("STALL", "TC")

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
    return multiplied(kernels.one_role, WORKERS, a, b)


def optimized(a, b):
    return multiplied(kernels.two_roles, WORKERS + 128, a, b)


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, cols, depth):
    return dict(
        flops=2 * rows * cols * depth,
        bytes=2 * (rows * depth + cols * depth + rows * cols),
        launches=1,
        predicted_optimized=(MEET + MULTIPLY) / MULTIPLY,
    )
