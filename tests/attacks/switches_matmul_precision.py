"""Multiply matrices in a process of one's own liking.

Cheats: lowers the precision of products, and leaves it so for the other side.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    torch.set_float32_matmul_precision("medium")
    return x @ weight
