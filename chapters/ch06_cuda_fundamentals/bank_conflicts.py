"""Pad a shared-memory tile by one word, so that a warp that reads a column uses 32 banks instead of one.

Shared memory has 32 banks of 4 bytes. Words that are 32 apart share a bank, and 32 accesses to one bank take 32 turns.
Here each thread walks along a row of a tile of 32 columns, so all threads of a warp use the same bank. One word of
padding per row moves neighbouring rows to different banks. Nothing else differs.
Predicts: 2.1 cycles per element (2 accesses of 32 turns and 2 of one turn per 32 elements) become 0.43, the limit of
memory on an H200: 4.8x.
No gain where: a whole warp reads a row.
"""

import torch

from perfproof import cuda

ROWS, ALPHA = 128, 0.125

workload = dict(rows=2**18, cols=256)  # 256 MiB in and out: larger than any L2
smoke = dict(rows=301, cols=77)  # ragged on purpose: the last block and the last tile are not full
tolerance = dict(rtol=1e-5, atol=1e-6)  # an average that forgets: the errors of about 8 roundings at 2**-24 remain
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")
counters = ("SMEM",)

kernels = cuda.source(__file__, defines={"ROWS": ROWS, "ALPHA": "0.125f"})


def inputs(rows, cols):
    return torch.randn(rows, cols)


def reference(x):
    wide = x.double()
    out = wide.clone()
    for column in range(1, wide.shape[1]):
        out[:, column] = out[:, column - 1] + ALPHA * (wide[:, column] - out[:, column - 1])
    return out


def average(kernel, x):
    x = x.contiguous()
    out = torch.empty_like(x)
    rows, cols = x.shape
    kernel(x, out, rows, cols, grid=-(-rows // ROWS), block=ROWS)
    return out


def baseline(x):
    return average(kernels["average<0>"], x)


def optimized(x):
    return average(kernels["average<1>"], x)


def cost(rows, cols):
    turns, memory = (2 * 32 + 2) / 32, 8 / 18.6  # cycles per element; an H200 moves 18.6 bytes per cycle and SM
    return dict(flops=3 * rows * cols, bytes=8 * rows * cols, predicted_optimized=turns / memory)
