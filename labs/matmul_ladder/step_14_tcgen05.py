"""On Blackwell, let one thread ask for products whose sum lies in tensor memory.

Blackwell has no `wgmma`: on it the ladder stands at `step_06_tma`, the last step with plain `mma`, and this step
continues from there. `tcgen05.mma` multiplies 128 x 16 by 16 x 256 from shared memory into tensor memory, so the sum
takes no registers and no warp waits. The ring of tiles is that of `step_09_wide_tile`. It has been compiled and
emulated, and not measured.
Predicts: several times the rate of `mma`, which Blackwell keeps for old code.
No gain where: tiles arrive too late.
"""

import torch

from perfproof import cuda

ROWS, COLS, DEPTH, STAGES, THREADS = 128, 256, 64, 4, 128
SHARED = STAGES * ((ROWS + COLS) * DEPTH * 2 + 16) + 16 + 1_024  # bytes: tiles, barriers, and room to align

workload = dict(rows=8_192, depth=8_192, cols=8_192)  # 1.1 TFLOP on 384 MiB: larger than any L2
smoke = dict(rows=301, depth=333, cols=517)  # ragged on purpose: several tiles, and the ring goes round
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_06_tma"
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="100a")
counters = ("TC", "STALL", "TMA")
menu = ("both", "compute-bound")

kernels = cuda.source(__file__)


def described(x, rows):
    return cuda.tensor_map(x, box=(rows, DEPTH), swizzle="128B", promotion="128B")


def optimized(a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    factors = described(a, ROWS), described(b, COLS)
    kernels.multiply_matrices(
        *factors, out, rows, depth, cols, grid=(-(-cols // COLS), -(-rows // ROWS)), block=THREADS, shared=SHARED
    )
    return out


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, depth, cols):
    return dict(flops=2 * rows * cols * depth, bytes=2 * (rows * depth + cols * depth + rows * cols), launches=1)
