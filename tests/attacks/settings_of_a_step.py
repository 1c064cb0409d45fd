"""Multiply matrices without subnormal numbers.

Cheats: the file of this step sets it on import, and the baseline, which is borrowed from another file, gets it too.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)
torch.set_flush_denormal(True)


def optimized(x, weight):
    return x @ weight
