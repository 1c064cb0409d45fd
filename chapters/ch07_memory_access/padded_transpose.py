"""Transpose through a shared-memory tile that is padded by one word per row.

A tile makes both the reads and the writes of a transpose coalesced, but the turn itself reads a column of the tile.
With rows of 64 words a column lies in one bank, and 32 threads wait 32 turns. One unused word per row moves each row
on by one bank. Only the padding differs. Predicts: 33 turns per 32 elements are 1.03 cycles per element, and memory
allows one per 0.43 cycles on an H200: 2.4x. No gain where: the tile is read by rows. `optimized_torch` is PyTorch's
transposing copy.
"""

import torch

from perfproof import cuda

TILE, HEIGHT = 64, 4  # a tile of 64 x 64, four of its rows at a time

workload = dict(rows=8_192, cols=8_192)  # 256 MiB in and out: larger than any L2
smoke = dict(rows=301, cols=777)  # ragged on purpose: tiles at both edges are cut
tolerance = dict(rtol=0.0, atol=0.0)  # numbers are moved, not changed
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")
counters = ("SMEM",)

kernels = cuda.source(__file__, defines={"TILE": TILE, "HEIGHT": HEIGHT})


def inputs(rows, cols):
    return torch.randn(rows, cols)


def reference(x):
    return x.double().t()


def transpose(kernel, x):
    x = x.contiguous()
    rows, cols = x.shape
    out = torch.empty(cols, rows, device=x.device)
    kernel(x, out, rows, cols, grid=(-(-cols // TILE), -(-rows // TILE)), block=(TILE, HEIGHT))
    return out


def baseline(x):
    return transpose(kernels["transpose<0>"], x)


def optimized(x):
    return transpose(kernels["transpose<1>"], x)


def optimized_torch(x):
    return x.t().contiguous()


def cost(rows, cols):
    turns, memory = (32 + 1) / 32, 8 / 18.6  # cycles per element; an H200 moves 18.6 bytes per cycle and SM
    return dict(flops=0, bytes=8 * rows * cols, predicted_optimized=turns / memory)
