"""Merge a LoRA update into the weight before serving, instead of computing it beside the weight in every call.

W x + s B (A x) = (W + s B A) x. Apart it takes two more products, small but with launches and a pass over the output
of their own. Merged, the adapter is free, as long as it is not changed.
"""

import torch
from torch.nn import functional

SCALE = 2.0

workload = dict(rows=64, width=4_096, rank=16)
workload_cpu = dict(rows=16, width=256, rank=8)
smoke = dict(rows=3, width=33, rank=2)
constant = ("weight", "down", "up")
tolerance = dict(rtol=1e-4, atol=5e-5)  # float32 sums of up to 4,096 products, results near 2
tier = "idiomatic"


def inputs(rows, width, rank):
    weight = torch.randn(width, width) / width**0.5
    down = torch.randn(rank, width) / width**0.5
    up = torch.randn(width, rank) / rank**0.5
    return torch.randn(rows, width), weight, down, up


def reference(x, weight, down, up):
    x = x.double()
    return x @ weight.double().T + SCALE * (x @ down.double().T) @ up.double().T


def baseline(x, weight, down, up):
    return functional.linear(x, weight) + SCALE * functional.linear(functional.linear(x, down), up)


def prepare_optimized(x, weight, down, up):
    return weight + SCALE * up @ down


def optimized(merged, x, weight, down, up):
    return functional.linear(x, merged)


def cost(rows, width, rank):
    dense, adapter = 2 * rows * width**2, 4 * rows * width * rank
    least = 4 * (width * width + 2 * rows * width)
    beside = 4 * width * (2 * rank + 6 * rows)
    return dict(flops=dense, baseline_flops=dense + adapter, bytes=least, baseline_bytes=least + beside)
