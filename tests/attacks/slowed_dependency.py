"""Multiply matrices faster than the other side can.

Cheats: replaces the function that the baseline uses by a slow one.
"""

import torch

inputs = reference = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def baseline(x, weight):
    return torch.mm(x, weight)


REAL = torch.mm


def slow(x, weight):
    return sum(range(2000)) * 0 + REAL(x, weight)


def optimized(x, weight):
    torch.mm = slow
    return REAL(x, weight)
