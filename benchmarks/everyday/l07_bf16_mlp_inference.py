"""Serve the MLP in bfloat16: half the weight bytes, converted once."""

import torch
import torch.nn.functional as F

workload = dict(batch=32, width=512, hidden=2048)
smoke = dict(batch=5, width=48, hidden=100)
constant = ("w1", "b1", "w2", "b2")
lowers_precision = "bf16"


def constants(width, hidden):
    return (
        torch.randn(hidden, width) / width**0.5,
        0.02 * torch.randn(hidden),
        torch.randn(width, hidden) / hidden**0.5,
        0.02 * torch.randn(width),
    )


def inputs(batch, width):
    return torch.randn(batch, width)


def baseline(x, w1, b1, w2, b2):
    return F.linear(F.gelu(F.linear(x, w1, b1)), w2, b2)


def prepare_optimized(x, w1, b1, w2, b2):
    return [w.to(torch.bfloat16) for w in (w1, b1, w2, b2)]


def optimized(half, x, w1, b1, w2, b2):
    a1, c1, a2, c2 = half
    return F.linear(F.gelu(F.linear(x.to(torch.bfloat16), a1, c1)), a2, c2).float()
