"""Multiply matrices at the precision that the file sets on import.

Cheats: only one of its instances sets it, the one that a later side is loaded from.
"""

import torch

workload = dict(n=128)
torch.instances = getattr(torch, "instances", 0) + 1
if torch.instances == 4:
    torch.set_float32_matmul_precision("medium")


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def baseline(x, weight):
    return torch.mm(x, weight)


def optimized(x, weight):
    return x @ weight
