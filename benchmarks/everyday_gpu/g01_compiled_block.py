"""Compile a transformer block, so that its norms, activation and residual adds are fused.

Eager mode runs the element-wise part of the block as a dozen kernels that read and write the activations over and over.
Inductor fuses it into a few; the products are the same cuBLAS kernels on both sides.
"""

import copy

import torch
from torch import nn

workload = dict(batch=8, length=1_024, width=1_024)
workload_cpu = dict(batch=2, length=32, width=64)
smoke = dict(batch=2, length=9, width=32)
constant = ("block",)
tolerance = dict(rtol=2e-2, atol=3e-2)  # bf16 has 8 bits; results near 1 after six roundings
tier = "idiomatic"


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.heads = width // 16
        self.first, self.second = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = self.qkv(self.first(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.out(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(nn.functional.gelu(self.up(self.second(x))))


def inputs(batch, length, width):
    block = Block(width).to(torch.bfloat16).eval().requires_grad_(False)
    return block, torch.randn(batch, length, width, dtype=torch.bfloat16)


def reference(block, x):
    return copy.deepcopy(block).double()(x.double())


def baseline(block, x):
    return block(x)


def prepare_optimized(block, x):
    compiled = torch.compile(block)
    compiled(x)
    return compiled


def optimized(compiled, block, x):
    return compiled(x)


def cost(batch, length, width):
    rows = batch * length
    return dict(
        flops=24 * rows * width * width + 2 * rows * length * width, bytes=24 * width * width + 4 * rows * width
    )
