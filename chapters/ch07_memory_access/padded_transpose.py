"""Transpose through a shared-memory tile that is padded by one word per row.

A tile makes both the reads and the writes of a transpose coalesced, but the turn itself reads a column of the tile.
With rows of 64 words a column lies in one bank, and 32 threads wait 32 turns. One unused word per row moves each row
on by one bank. Only the padding differs. Predicts: 33 turns per 32 elements are 1.03 cycles per element, and memory
allows one per 0.43 cycles on an H200: 2.4x. No gain where: the tile is read by rows. `optimized_wide` also moves four
numbers per access to memory, and `optimized_torch` is PyTorch's transposing copy.
"""

import torch

from perfproof import cuda

TILE, HEIGHT, WIDE_HEIGHT = 64, 8, 16  # a tile of 64 x 64, and how many of its rows are moved at a time

workload = dict(rows=8_192, cols=8_192)  # 256 MiB in and out: larger than any L2
smoke = dict(rows=301, cols=777)  # ragged on purpose: tiles at both edges are cut
tolerance = dict(rtol=0.0, atol=0.0)  # numbers are moved, not changed
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")
counters = ("SMEM", "STALL", "BASE")

kernels = cuda.source(__file__, defines={"TILE": TILE, "HEIGHT": HEIGHT, "WIDE_HEIGHT": WIDE_HEIGHT})


def inputs(rows, cols):
    return torch.randn(rows, cols)


def reference(x):
    return x.double().t()


def transpose(kernel, x, block, *more):
    rows, cols = x.shape
    out = torch.empty(cols, rows, device=x.device)
    kernel(x, out, rows, cols, *more, grid=(-(-cols // TILE), -(-rows // TILE)), block=block)
    return out


def baseline(x):
    return transpose(kernels["transpose<0>"], x.contiguous(), (TILE, HEIGHT))


def optimized(x):
    return transpose(kernels["transpose<1>"], x.contiguous(), (TILE, HEIGHT))


def optimized_wide(x):
    x = x.contiguous()
    x = x.clone() if x.data_ptr() % 16 else x  # a slice may begin at any number
    aligned = x.shape[0] % 4 == 0 and x.shape[1] % 4 == 0
    return transpose(kernels.transpose_wide, x, (TILE // 4, WIDE_HEIGHT), aligned)


def optimized_torch(x):
    return x.t().contiguous()


def cost(rows, cols):
    turns, memory = (32 + 1) / 32, 8 / 18.6  # cycles per element; an H200 moves 18.6 bytes per cycle and SM
    return dict(flops=0, bytes=8 * rows * cols, predicted_optimized=turns / memory)
