"""Multiply matrices in a process of one's own liking.

Cheats: flushes denormal numbers to zero, and leaves it so for the other side.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    torch.set_flush_denormal(True)
    return x @ weight
