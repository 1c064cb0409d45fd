"""Take dot products in the type of their arguments.

Honest: the baseline converts to float64 and back, so its answer is rounded once. The variant stays in float32, which is
the type of the arguments and of the result, and its sums are off by a few float32 roundings.
"""

import torch

workload = workload_cpu = dict(rows=64, width=1_024)
smoke = dict(rows=5, width=33)
tolerance = dict(rtol=1e-5, atol=5e-5)  # sums of 1,024 products near 1, about 30 large, rounded at 2**-24
tier = "idiomatic"


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(rows, width)


def reference(a, b):
    return (a.double() * b.double()).sum(-1)


def baseline(a, b):
    return (a.double() * b.double()).sum(-1).float()


def optimized(a, b):
    return torch.linalg.vecdot(a, b)


def cost(rows, width):
    values = rows * width
    return dict(flops=2 * values, bytes=8 * values, baseline_bytes=56 * values)
