"""Take the tiles in an order in which those of one moment share their factors in the L2.

132 blocks that walk along the rows of tiles read four tiles of `a` and the whole of `b`, 128 MiB, again for every wave.
In groups of 16 rows of tiles they lie in a square of about 16 x 8: 2,048 rows of each factor. Everything else is the
same. Predicts: half of the bytes from memory per wave; time only where memory was the limit, and less power, which
can mean a higher clock. No gain where: both factors fit into the L2.
"""

import torch

from perfproof import cuda

ROWS, COLS, DEPTH, STAGES, THREADS = 128, 256, 64, 4, 2 * 128 + 32
SHARED = STAGES * ((ROWS + COLS) * DEPTH * 2 + 16) + 1_024  # bytes: tiles, barriers, and room to align

workload = dict(rows=8_192, depth=8_192, cols=8_192)  # 1.1 TFLOP on 384 MiB: larger than any L2
smoke = dict(rows=301, depth=333, cols=517)  # ragged on purpose: several tiles, and the ring goes round
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_10_persistent"
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="90a")
counters = ("BYTES", "L2", "TC")
menu = ("both", "memory-bound")

kernels = cuda.source(__file__)


def count_multiprocessors(device):
    return torch.cuda.get_device_properties(device).multi_processor_count


def described(x, rows):
    return cuda.tensor_map(x, box=(rows, DEPTH), swizzle="128B", promotion="128B")


def optimized(a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, cols, dtype=a.dtype, device=a.device)
    factors = described(a, ROWS), described(b, COLS)
    tiles, multiprocessors = -(-rows // ROWS) * -(-cols // COLS), count_multiprocessors(a.device)
    grid = min(tiles, multiprocessors)
    kernels.multiply_matrices(*factors, out, rows, depth, cols, grid=grid, block=THREADS, shared=SHARED)
    return out


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, depth, cols):
    return dict(flops=2 * rows * cols * depth, bytes=2 * (rows * depth + cols * depth + rows * cols), launches=1)
