"""Write the results through shared memory with the copy engine, instead of from registers.

From registers a warp writes 16 bytes in each of eight rows per instruction: half a sector, and each thread computes
addresses and checks edges. `stmatrix` puts the results into a swizzled box in shared memory, and one thread sends the
box; the consumers go on with the next tile. Predicts: most of the time to write a tile, which is a larger share the
smaller the depth. No gain where: the depth is large.
"""

import torch

from perfproof import cuda

ROWS, COLS, DEPTH, STAGES, THREADS, BOX = 128, 256, 64, 4, 2 * 128 + 32, 64
# Tiles, barriers, results, room to align.
SHARED = STAGES * ((ROWS + COLS) * DEPTH * 2 + 16) + 2 * 2 * BOX * BOX * 2 + 1_024

workload = dict(rows=8_192, depth=8_192, cols=8_192)  # 1.1 TFLOP on 384 MiB: larger than any L2
smoke = dict(rows=301, depth=333, cols=517)  # ragged on purpose: several tiles, and the ring goes round
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_11_tile_order"
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="90a")
counters = ("TMA", "STALL", "TC")
menu = ("both", "memory-bound")

kernels = cuda.source(__file__)


def count_multiprocessors(device):
    return torch.cuda.get_device_properties(device).multi_processor_count


def described(x, rows):
    return cuda.tensor_map(x, box=(rows, DEPTH), swizzle="128B", promotion="128B")


def optimized(a, b):
    a, b = cuda.aligned_rows(a), cuda.aligned_rows(b)
    (rows, depth), cols = a.shape, b.shape[0]
    # The engine writes rows of whole 16 bytes.
    out = torch.empty(rows, cols + -cols % 8, dtype=a.dtype, device=a.device)
    matrices = described(a, ROWS), described(b, COLS), described(out, BOX)
    tiles, multiprocessors = -(-rows // ROWS) * -(-cols // COLS), count_multiprocessors(a.device)
    grid = min(tiles, multiprocessors)
    kernels.multiply_matrices(*matrices, rows, depth, cols, grid=grid, block=THREADS, shared=SHARED)
    return out[:, :cols].contiguous()


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, depth, cols):
    return dict(flops=2 * rows * cols * depth, bytes=2 * (rows * depth + cols * depth + rows * cols), launches=1)
