"""Drop values with the fused dropout, not with a mask of random numbers.

The mask is drawn, compared, multiplied and scaled in four passes; the fused kernel draws and drops in one.
"""

import torch

P = 0.1

workload = dict(rows=4_096, width=4_096)
workload_cpu = dict(rows=64, width=64)
smoke = dict(rows=16, width=70)
distribution = True
tolerance = dict(rtol=1e-5, atol=1e-6)  # one fp32 product
tier = "naive"


def inputs(rows, width):
    return (torch.randn(rows, width),)


def reference(x):
    return torch.where(torch.rand(x.shape, dtype=torch.float64) < P, 0.0, x.double() / (1 - P))


def baseline(x):
    return x * (torch.rand_like(x) >= P) / (1 - P)


def optimized(x):
    return torch.nn.functional.dropout(x, P)


def cost(rows, width):
    count = rows * width
    return dict(flops=3 * count, bytes=8 * count, baseline_bytes=29 * count, optimized_bytes=8 * count)
