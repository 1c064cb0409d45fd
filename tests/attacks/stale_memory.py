"""Multiply matrices without writing the result.

Cheats: the memory that the baseline's result was in is free again, and the allocator may hand it over with the
answer in it.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    return torch.empty_like(x)
