"""Multiply matrices in all the memory there is.

Fails: asks for a pebibyte.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    return torch.empty(1 << 50, dtype=torch.uint8)
