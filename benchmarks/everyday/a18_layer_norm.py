"""Use functional.layer_norm instead of writing mean, variance, scale and shift by hand.

By hand there are about seven passes that read and write the whole array; the fused kernel reads a row, keeps it and
writes it once. The count of bytes predicts about 6x.
"""

import torch
from torch.nn import functional

EPS = 1e-5

workload = dict(rows=16_384, width=4_096)
workload_cpu = dict(rows=512, width=512)
smoke = dict(rows=5, width=67)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 moments of up to 4,096 values; results near 1
tier = "naive"


def inputs(rows, width):
    return torch.randn(rows, width), torch.rand(width) + 0.5, torch.randn(width)


def reference(x, weight, bias):
    rows = []
    for row in x.double():
        centred = row - row.mean()
        rows.append(centred / (centred.square().mean() + EPS).sqrt() * weight.double() + bias.double())
    return torch.stack(rows)


def baseline(x, weight, bias):
    mean = x.mean(-1, keepdim=True)
    centred = x - mean
    var = centred.pow(2).mean(-1, keepdim=True)
    return centred * torch.rsqrt(var + EPS) * weight + bias


def optimized(x, weight, bias):
    return functional.layer_norm(x, x.shape[-1:], weight, bias, EPS)


def cost(rows, width):
    array = 4 * rows * width
    return dict(flops=8 * rows * width, bytes=2 * array, baseline_bytes=12 * array, optimized_bytes=2 * array)
