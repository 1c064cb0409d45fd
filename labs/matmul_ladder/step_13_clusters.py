"""Let two blocks fetch half of a shared factor each, for both: multicast in a cluster.

Two blocks, one above the other, need the same 256 rows of `b` and different rows of `a`. In a cluster each fetches
half of them, and the engine writes that half into both shared memories. What a multiprocessor asks of the L2 falls from
48 to 32 KiB per slab. A stage is then free only if the consumers of both blocks are done with it.
Predicts: 1.5x fewer bytes from the L2. No gain where: the L2 is not the limit, and the blocks wait for each other.
"""

import torch

from perfproof import cuda

ROWS, COLS, DEPTH, STAGES, THREADS, BOX, BLOCKS = 128, 256, 64, 4, 2 * 128 + 32, 64, 2
# Tiles, barriers, results, room to align.
SHARED = STAGES * ((ROWS + COLS) * DEPTH * 2 + 16) + 2 * 2 * BOX * BOX * 2 + 1_024

workload = dict(rows=8_192, depth=8_192, cols=8_192)  # 1.1 TFLOP on 384 MiB: larger than any L2
smoke = dict(rows=301, depth=333, cols=517)  # ragged on purpose: several tiles, and the ring goes round
inputs = "step_01_tiled"
reference = "step_01_tiled"
tolerance = "step_01_tiled"
baseline = "step_12_tma_store"
tier = "naive"  # a hand-written product where a library has one
needs = dict(sm="90a")
counters = ("L2", "TC", "STALL")
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
    matrices = described(a, ROWS), described(b, COLS // BLOCKS), described(out, BOX)
    tiles = -(-rows // (BLOCKS * ROWS)) * -(-cols // COLS)
    grid = BLOCKS * min(tiles, count_multiprocessors(a.device) // BLOCKS)
    kernels.multiply_matrices(*matrices, rows, depth, cols, grid=grid, block=THREADS, shared=SHARED, cluster=BLOCKS)
    return out[:, :cols].contiguous()


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, depth, cols):
    return dict(flops=2 * rows * cols * depth, bytes=2 * (rows * depth + cols * depth + rows * cols), launches=1)
