"""Multiply matrices in a process of one's own liking.

Cheats: turns gradients off, and leaves it so for the other side.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    torch.set_grad_enabled(False)
    return x @ weight
