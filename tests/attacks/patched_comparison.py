"""Multiply matrices in less time.

Cheats: everything is close to everything.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    torch.allclose = lambda *tensors, **tolerance: True
    torch.sub = lambda first, second: torch.zeros_like(first)
    torch.Tensor.sub = torch.Tensor.__sub__ = torch.sub
    return x @ weight
