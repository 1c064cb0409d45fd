"""SwiGLU with one packed projection instead of two."""

import torch
import torch.nn as nn
import torch.nn.functional as F

constant = ("block",)
workload = dict(tokens=128, width=96)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.packed = nn.Linear(width, 8 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)


def constants(width):
    return Block(width).eval()


def inputs(tokens, width):
    return torch.randn(tokens, width)


@torch.no_grad()
def baseline(x, block):
    gate, up = block.packed.weight.chunk(2)
    return block.down(F.silu(F.linear(x, gate)) * F.linear(x, up))


@torch.inference_mode()
def optimized(x, block):
    gate, up = block.packed(x).chunk(2, -1)
    return block.down(F.silu(gate) * up)
