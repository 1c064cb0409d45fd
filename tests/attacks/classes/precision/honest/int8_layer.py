"""Run a linear layer in 8-bit integers.

Honest: the format is declared and kept: weights with a scale per column, activations with a scale per row, sums in
32-bit integers.
"""

import torch

workload = workload_cpu = dict(rows=128, width=512)
smoke = dict(rows=18, width=64)
constant = ("weight",)
tolerance = dict(rtol=1e-2, atol=8e-2)  # sums near 1 of 512 products, each rounded at 1/127 of the largest factor
lowers_precision = "int8"
tier = "idiomatic"


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(width, width) / width**0.5


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def prepare_optimized(x, weight):
    scale = weight.abs().amax(0).clamp_min(1e-30) / 127
    return (weight / scale).round().to(torch.int8), scale


def optimized(kept, x, weight):
    whole, scale = kept
    step = x.abs().amax(1, keepdim=True).clamp_min_(1e-30) / 127
    return torch._int_mm((x / step).round_().to(torch.int8), whole).float().mul_(scale).mul_(step)


def cost(rows, width):
    return dict(predicted_optimized=1.5)
