"""Multiply in bfloat16.

Cheats: it declares a lower precision, but keeps float32 and replaces the weights by a product of rank 32. The error is
that of the cut rank, ten times what bfloat16 loses.
"""

import torch

RANK = 32

workload = workload_cpu = dict(rows=64, width=256)
constant = ("weight",)
tolerance = dict(rtol=1e-1, atol=3e-1)  # bfloat16 rounds at 2**-8, with room to spare
lowers_precision = "bf16"


def inputs(rows, width):
    left, right = torch.randn(width, RANK), torch.randn(RANK, width)
    weight = left @ right / (width * RANK) ** 0.5 + 0.04 * torch.randn(width, width) / width**0.5
    return torch.randn(rows, width), weight


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def prepare_optimized(x, weight):
    left, values, right = torch.linalg.svd(weight)
    return (left[:, :RANK] * values[:RANK]).contiguous(), right[:RANK].contiguous()


def optimized(factors, x, weight):
    return x @ factors[0] @ factors[1]
