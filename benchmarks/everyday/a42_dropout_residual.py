"""Apply a dropout mask and add the residual in one pass with addcmul.

Mask, scale and add are three passes that write three arrays. addcmul computes residual + x * mask / keep in one.
The mask is an argument, so that both sides drop the same values.
"""

import torch

P = 0.1

workload = dict(rows=16_384, width=4_096)
workload_cpu = dict(rows=1_024, width=512)
smoke = dict(rows=3, width=70)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a float32 product and a sum of values near 1
tier = "naive"


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(rows, width), torch.rand(rows, width) >= P


def reference(x, residual, mask):
    kept = torch.where(mask, x.double() / (1 - P), 0.0)
    return residual.double() + kept


def baseline(x, residual, mask):
    dropped = x * mask
    scaled = dropped / (1 - P)
    return scaled + residual


def optimized(x, residual, mask):
    return torch.addcmul(residual, x, mask, value=1 / (1 - P))


def cost(rows, width):
    n = rows * width
    return dict(flops=3 * n, bytes=13 * n, baseline_bytes=29 * n, optimized_bytes=13 * n)
