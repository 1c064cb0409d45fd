"""Recompute a block's activations in the backward pass instead of keeping them: less memory, more time.

Without checkpoints every block keeps its inputs and its hidden activations until backward. With a checkpoint per block
only the block's input is kept, and one block at a time is recomputed: a third more flops for a fraction of the peak.
The claim is about memory; the time gets worse.
"""

import copy

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

workload = dict(rows=65_536, width=256, blocks=12)
workload_cpu = dict(rows=2_048, width=32, blocks=6)
smoke = dict(rows=11, width=6, blocks=2)
constant = ("model",)
claim = "memory"
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 gradients summed over up to 65,536 rows through 12 blocks
tier = "idiomatic"


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(x)))


def inputs(rows, width, blocks):
    return nn.ModuleList(Block(width) for _ in range(blocks)), torch.randn(rows, width)


def reference(model, x):
    model, h = copy.deepcopy(model).double(), x.double()
    for block in model:
        h = block(h)
    return torch.autograd.grad(h.square().sum() / len(x), list(model.parameters()))


def baseline(model, x):
    h = x
    for block in model:
        h = block(h)
    return torch.autograd.grad(h.square().sum() / len(x), list(model.parameters()))


def optimized(model, x):
    h = x
    for block in model:
        h = checkpoint(block, h, use_reentrant=False)
    return torch.autograd.grad(h.square().sum() / len(x), list(model.parameters()))


def cost(rows, width, blocks):
    flops = 48 * rows * width**2 * blocks
    kept = 4 * rows * width
    return dict(
        flops=flops,
        optimized_flops=flops * 4 / 3,
        bytes=kept,
        predicted_optimized=9 * blocks / (blocks + 9),  # per block x, hidden and its gelu are kept; or x alone
    )
