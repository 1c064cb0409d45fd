"""Unroll a loop so that several loads are under way before the first value is used.

A running sum has one thread per column; nothing else is parallel. Each step loads, adds and stores, and the compiler
must not move a load before a store that might overlap with it: one load in flight per thread. Unrolled by hand,
sixteen loads come first. Predicts: bandwidth is bytes in flight over latency until memory is saturated, 6x on an H200.
No gain with threads enough to saturate memory. `optimized_restrict` only promises that the arrays lie apart
(`__restrict__`), and leaves the unrolling to the compiler. `optimized_torch` is PyTorch's own.
"""

import torch

from perfproof import cuda

STEPS, BLOCK = 16, 256  # loads in flight, threads of a block
LATENCY, BANDWIDTH = 0.8e-6, 4.0e12  # estimates for memory of an H200 under load

workload = dict(rows=1_024, cols=65_536)  # 256 MiB: larger than any L2; 65,536 threads are a quarter of what fits
smoke = dict(rows=37, cols=1_003)  # ragged on purpose: rows left over after the unrolled loop, a block not full
# 1,024 additions of float32: sums wander to 32, so a result is off by 2e-5, and the worst of 67 million by 1e-4.
tolerance = dict(rtol=1e-5, atol=3e-4)
tier = "idiomatic"  # the loop as it is first written
needs = dict(cuda=8.0)
counters = ("BASE.dram_peak_share", "BASE.issue_active", "STALL")
menu = ("both", "memory-bound")

kernels = cuda.source(__file__, defines={"STEPS": STEPS})


def inputs(rows, cols):
    return torch.randn(rows, cols)


def reference(x):
    return x.double().cumsum(0)


def summed(kernel, x):
    x = x.contiguous()
    out = torch.empty_like(x)
    rows, cols = x.shape
    kernel(x, out, rows, cols, grid=-(-cols // BLOCK), block=BLOCK)
    return out


def baseline(x):
    return summed(kernels.one_by_one, x)


def optimized(x):
    return summed(kernels.unrolled, x)


def optimized_restrict(x):
    return summed(kernels.promised, x)


def optimized_torch(x):
    return torch.cumsum(x, 0)


def cost(rows, cols):
    reached = [min(loads * 8 * cols / LATENCY, BANDWIDTH) for loads in (1, STEPS)]
    return dict(flops=rows * cols, bytes=8 * rows * cols, launches=1, predicted_optimized=reached[1] / reached[0])
