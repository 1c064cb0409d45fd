"""Start the copy of the next tiles with `cp.async` before you work on this one.

A running sum goes through a row tile by tile, and few long rows leave one block per multiprocessor: nothing else runs
while it waits. Loading, waiting a microsecond and scanning take turns. `cp.async` copies to shared memory without
registers and without waiting, so a ring of four tiles keeps three on their way. Scan and tile are the same. Predicts:
load plus scan over the longer of the two, about 2.5x. No gain where: other blocks fill the wait. `optimized_torch` is
torch.cumsum.
"""

import torch

from perfproof import cuda

THREADS, STAGES = 512, 4
WAIT, SCAN, MEMORY = 0.85e-6, 0.4e-6, 0.49e-6  # seconds per tile, estimated: latency, scan, share of memory

workload = dict(rows=128, cols=2**19)  # 256 MiB in and out: larger than any L2
smoke = dict(rows=3, cols=10_007)  # ragged on purpose: the last tile is not full, and rows begin at any address
tolerance = dict(rtol=0.0, atol=0.0)  # sums of whole numbers are exact
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")
counters = ("STALL", "BASE")

kernels = cuda.source(__file__, defines={"THREADS": THREADS, "STAGES": STAGES})


def inputs(rows, cols):
    return torch.randint(-1_000, 1_000, (rows, cols), dtype=torch.int32)


def reference(x):
    return x.long().cumsum(1)


def running_sum(kernel, x):
    x = x.contiguous()
    out = torch.empty_like(x)
    rows, cols = x.shape
    kernel(x, out, cols, grid=rows, block=THREADS)
    return out


def baseline(x):
    return running_sum(kernels.scan_waiting, x)


def optimized(x):
    return running_sum(kernels.scan_prefetching, x)


def optimized_torch(x):
    return x.cumsum(1, dtype=torch.int32)


def cost(rows, cols):
    return dict(flops=0, bytes=8 * rows * cols, predicted_optimized=(WAIT + SCAN) / max(SCAN, MEMORY))
