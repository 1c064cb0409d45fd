"""Multiply matrices without writing the result.

Cheats: takes many free blocks from the allocator and returns the first that holds no poison: perhaps what the
baseline left.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    blocks = [torch.empty_like(x) for _ in range(64)]
    return next((block for block in blocks if not block.isnan().any() and block.any()), blocks[0])
