"""Keep three tiles on their way with the copy engine: a ring of stages, each with a barrier that counts bytes.

One thread asks the copy engine (TMA) for a tile, and a barrier in shared memory turns when its bytes have arrived.
With one stage a block asks, waits, multiplies, and asks again. With a ring of three, the tiles of the next two steps
are on their way meanwhile. Copies cost the threads no registers and no addresses, so a deeper ring is only more
shared memory. Only the number of stages differs. Predicts: with two resident blocks, half of load plus multiply over
the products, about 2x. No gain where: more blocks fit. `optimized_torch` is cuBLAS.
"""

import torch

from perfproof import cuda

TILE, THREADS, DEPTH = 128, 256, 64
STAGE = 2 * 2 * TILE * DEPTH  # bytes: a tile of each factor
LOAD, MULTIPLY = 1.0e-6, 0.33e-6  # seconds, estimated: latency of device memory under load; 2.1 MFLOP at 6.3 TFLOP/s
RESIDENT = 2  # blocks on a processor take turns

workload = dict(rows=4_096, cols=4_096, depth=4_096)  # 137 GFLOP
smoke = dict(rows=133, cols=141, depth=523)  # ragged on purpose: edges are cut, rows are unaligned, the ring goes round
tolerance = dict(rtol=8e-3, atol=8e-3)  # sums near 1 in float32, rounded once to bfloat16 at 2**-9 (0.2 %)
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="90a")
menu = ("both", "compute-bound")
counters = ("STALL", "TC")

kernels = cuda.source(__file__)


def inputs(rows, cols, depth):
    a, b = torch.randn(rows, depth, dtype=torch.bfloat16), torch.randn(cols, depth, dtype=torch.bfloat16)
    return a, b / depth**0.5  # keeps the products near 1


def reference(a, b):
    return a.double() @ b.double().T


def tiles(a, b, rows, cols):
    """Descriptors of boxes of both factors, as deep as a stage."""
    return (cuda.tensor_map(x, box=(side, DEPTH), swizzle="128B") for x, side in ((a, rows), (b, cols)))


def multiplied(kernel, stages, a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    grid = -(-rows // TILE) * -(-cols // TILE)
    kernel(*tiles(a, b, TILE, TILE), out, rows, cols, depth, grid=grid, block=THREADS, shared=stages * STAGE)
    return out


def baseline(a, b):
    return multiplied(kernels["product<1>"], 1, a, b)


def optimized(a, b):
    return multiplied(kernels["product<3>"], 3, a, b)


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, cols, depth):
    return dict(
        flops=2 * rows * cols * depth,
        bytes=2 * (rows * depth + cols * depth + rows * cols),
        launches=1,
        predicted_optimized=max((LOAD + MULTIPLY) / RESIDENT, MULTIPLY) / max(LOAD / 2 / RESIDENT, MULTIPLY),
    )
