"""Let two warp groups take turns: one multiplies its tile while the other stores the tile before.

If both groups go through the depth together, they also store together, and the tensor cores idle until the next tiles
begin. In turns, each group has a tile of its own, and its stores run behind the products of the other. A resident
block goes through the same regions on both sides, with the same products per group and the same bytes of shared
memory. It loads a column tile twice. Predicts: products plus stores over products, about 1.2x at a depth of 1,024. No
gain where: the depth is large. `optimized_torch` is cuBLAS.
"""

import torch

from perfproof import cuda

TILE, DEPTH = 128, 64
THREADS = 384  # two groups that multiply, one that asks for tiles
RING = 12 * 2 * TILE * DEPTH  # bytes: four stages of three tiles, or six of two
MULTIPLY, STORE = 0.66e-6, 2e-6  # seconds, estimated: a step of 4.2 MFLOP at 6.3 TFLOP/s; 64 KiB that nothing hides

workload = dict(rows=8_192, cols=8_192, depth=1_024)  # 137 GFLOP, and 128 MiB to store
smoke = dict(rows=397, cols=141, depth=523)  # ragged on purpose: edges are cut, rows are unaligned, the ring goes round
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


def multiplied(kernel, a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    regions = -(-rows // (2 * TILE)) * -(-cols // TILE)
    grid = min(regions, kernel.resident_blocks(block=THREADS, shared=RING))
    kernel(*tiles(a, b, TILE, TILE), out, rows, cols, depth, grid=grid, block=THREADS, shared=RING)
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
        predicted_optimized=1 + STORE / (MULTIPLY * -(-depth // DEPTH)),
    )
