"""Add up inside a warp with shuffles, and use shared memory only between warps.

A tree in shared memory needs eight steps for 256 threads. Each writes, waits at a barrier for all warps, and reads
again, while fewer and fewer threads work. Threads of a warp can read each other's registers: five shuffles without a
barrier, then one barrier for the eight sums of the warps. Predicts: seven barriers of about 30 cycles less per row,
about 1.2x if a row of 1,024 takes 1,200 cycles. No gain for long rows: loading them hides the rest. `optimized_torch`
is PyTorch's sum.
"""

import torch

from perfproof import cuda

THREADS = 256
ROW, STEP = 1_200, 30  # estimates, in cycles: a row from load to store, and one step of the tree with its barrier

workload = dict(rows=65_536, cols=1_024)  # 256 MiB: larger than any L2; one load of four elements per thread
smoke = dict(rows=77, cols=1_003)  # ragged on purpose: the last round of loads is not full
tolerance = dict(rtol=1e-5, atol=1e-4)  # 1,024 additions in float32 that wander to 32, in another order
tier = "naive"  # the tree of textbooks
needs = dict(cuda=8.0)
counters = ("STALL", "BASE.issue_active", "BASE.dram_peak_share")
menu = ("both", "memory-bound")

kernels = cuda.source(__file__, defines={"THREADS": THREADS})


def inputs(rows, cols):
    return torch.randn(rows, cols)


def reference(x):
    return x.double().sum(1)


def summed(kernel, x):
    x = x.contiguous()
    rows, cols = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    kernel(x, out, cols, grid=rows, block=THREADS)
    return out


def baseline(x):
    return summed(kernels.tree_sum, x)


def optimized(x):
    return summed(kernels.shuffle_sum, x)


def optimized_torch(x):
    return x.sum(1)


def cost(rows, cols):
    saved = 7 * STEP  # eight barriers become one
    return dict(
        flops=rows * cols,
        bytes=4 * rows * (cols + 1),
        launches=1,
        predicted_optimized=ROW / (ROW - saved),
    )
