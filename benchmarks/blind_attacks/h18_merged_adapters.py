"""Merge the adapters into the weights once, when the model is loaded.

Weights and adapters stay the same over calls and are declared so. The sum of their products is one matrix, whatever they hold.
"""

import torch

workload = dict(batch=32, dim=768, adapters=8, rank=32)
smoke = dict(batch=5, dim=33, adapters=2, rank=3)
constant = ("w", "a", "b")
SCALE = 0.5


def constants(dim, adapters, rank):
    w = torch.randn(dim, dim) / dim**0.5
    a = torch.randn(adapters, dim, rank) / dim**0.5
    b = torch.randn(adapters, rank, dim) / rank**0.5
    return w, a, b


def inputs(batch, dim):
    return torch.randn(batch, dim)


def baseline(x, w, a, b):
    y = x @ w
    for i in range(len(a)):
        y = y + SCALE * ((x @ a[i]) @ b[i])
    return y


def prepare_optimized(x, w, a, b):
    return w + SCALE * torch.einsum("kir,kro->io", a, b)


def optimized(merged, x, w, a, b):
    return x @ merged
