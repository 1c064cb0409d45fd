"""Compile an MLP block once, so that its bias, activation and residual add are fused.

Eager mode runs two matrix products and three element-wise kernels; the element-wise ones read and write the hidden
activations over and over. torch.compile fuses them into the fewest passes. The flops are equal, the bytes are not.
Compilation takes seconds and is done once, in the preparation.
"""

import copy

import torch
from torch import nn

workload = dict(rows=8_192, width=1_024)
workload_cpu = dict(rows=256, width=128)
smoke = dict(rows=7, width=24)
constant = ("block",)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums of up to 4,096 products, results near 1
tier = "idiomatic"


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def inputs(rows, width):
    block = Block(width).eval().requires_grad_(False)
    return block, torch.randn(rows, width)


def reference(block, x):
    return copy.deepcopy(block).double()(x.double())


def baseline(block, x):
    return block(x)


def prepare_optimized(block, x):
    compiled = torch.compile(block)
    compiled(x)  # compiles here and not in the first call
    return compiled


def optimized(compiled, block, x):
    return compiled(x)


def cost(rows, width):
    weights = 8 * width * width * 4
    hidden = 4 * rows * width * 4
    least = weights + 2 * rows * width * 4
    return dict(
        flops=16 * rows * width * width,
        bytes=least,
        baseline_bytes=least + 4 * hidden + 6 * rows * width * 4,
        optimized_bytes=least + 4 * hidden + 2 * rows * width * 4,
    )
