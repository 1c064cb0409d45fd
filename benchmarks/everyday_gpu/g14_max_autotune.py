"""Compile a block with mode="max-autotune-no-cudagraphs": a preparation that tries many kernels for each product.

It takes long, once. Whether the kernels that it finds are faster than cuBLAS's is the question.
"""

import torch
from torch import nn

workload = dict(rows=2_048, width=2_048)
smoke = dict(rows=64, width=64)
constant = ("first", "second")
tolerance = dict(rtol=2e-2, atol=2e-2)  # bf16 has 8 bits; three roundings of values near 1
tier = "vendor"
needs = dict(cuda=8.0)


def inputs(rows, width):
    first, second = (torch.randn(width, width, dtype=torch.bfloat16) * width**-0.5 for _ in range(2))
    return torch.randn(rows, width, dtype=torch.bfloat16), first, second


def block(x, first, second):
    return nn.functional.gelu(x @ first, approximate="tanh") @ second


def reference(x, first, second):
    return nn.functional.gelu(x.double() @ first.double(), approximate="tanh") @ second.double()


def baseline(x, first, second):
    return block(x, first, second)


def prepare_optimized(x, first, second):
    compiled = torch.compile(block, mode="max-autotune-no-cudagraphs")
    compiled(x, first, second)
    return compiled


def optimized(compiled, x, first, second):
    return compiled(x, first, second)


def cost(rows, width):
    return dict(flops=4 * rows * width * width, bytes=2 * (2 * rows * width + 2 * width * width))
