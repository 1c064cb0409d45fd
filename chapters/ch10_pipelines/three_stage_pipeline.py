"""Keep two tiles on their way with `cp.async`, not one: three stages hide what two buffers cannot.

`cp.async` copies to shared memory without registers and without waiting. With two stages the copy of the next tile
has one step of products to arrive; a step takes less time than a load, so the block still waits. With three stages it
has two steps. Only the number of stages differs. Predicts: the load's latency over two steps, about 1.2x. No gain
where: two resident blocks already fill each other's wait, which is often. A fourth stage would leave room for one
block only. `optimized_torch` is cuBLAS.
"""

import torch

from perfproof import cuda

TILE, THREADS, DEPTH = 128, 256, 64
STAGE = 2 * 2 * TILE * DEPTH  # bytes: a tile of each factor
LOAD, MULTIPLY = 1.1e-6, 0.47e-6  # seconds, estimated: latency of device memory under load; 2.1 MFLOP at 4.5 TFLOP/s
RESIDENT = 2  # blocks on a processor take turns

workload = dict(rows=4_096, cols=4_096, depth=4_096)  # 137 GFLOP
smoke = dict(rows=133, cols=141, depth=523)  # ragged on purpose: edges are cut, rows are unaligned, the ring goes round
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


def multiplied(kernel, stages, a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    grid = (-(-cols // TILE), -(-rows // TILE))
    kernel(a, b, out, rows, cols, depth, grid=grid, block=THREADS, shared=stages * STAGE)
    return out


def baseline(a, b):
    return multiplied(kernels["product<2>"], 2, a, b)


def optimized(a, b):
    return multiplied(kernels["product<3>"], 3, a, b)


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, cols, depth):
    return dict(
        flops=2 * rows * cols * depth,
        bytes=2 * (rows * depth + cols * depth + rows * cols),
        launches=1,
        predicted_optimized=max(LOAD, RESIDENT * MULTIPLY) / max(LOAD / 2, RESIDENT * MULTIPLY),
    )
