"""Multiply in bfloat16.

Cheats: it declares bfloat16, which has 8 bits of precision, and rounds both factors to 4 bits. The tolerance allows
what 4 bits lose.
"""

import torch

workload = workload_cpu = dict(rows=128, width=512)
constant = ("weight",)
tolerance = dict(rtol=1e-1, atol=1.2)  # bfloat16 rounds at 2**-8, with room to spare
lowers_precision = "bf16"


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(width, width) / width**0.5


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def prepare_optimized(x, weight):
    scale = weight.abs().amax(0) / 7
    return (weight / scale).round().to(torch.int8), scale


def optimized(kept, x, weight):
    whole, scale = kept
    step = x.abs().amax(1, keepdim=True) / 7
    return torch._int_mm((x / step).round_().to(torch.int8), whole).float().mul_(scale).mul_(step)
