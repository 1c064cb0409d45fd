"""Multiply by a matrix that was packed beforehand.

Honest: the preparation keeps what follows from the constant, and nothing of the values that change.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def prepare_optimized(x, weight):
    return weight.t().contiguous()


def optimized(packed, x, weight):
    return torch.nn.functional.linear(x, packed)
