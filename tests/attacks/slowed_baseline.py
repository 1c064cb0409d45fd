"""Multiply matrices faster than the other side can.

Cheats: finds the baseline's instance of this file and gives it more to do.
"""

import torch

inputs = reference = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


ROUNDS = 1


def baseline(x, weight):
    sum(range(ROUNDS))
    return x @ weight


def optimized(x, weight):
    for name, module in list(torch.sys.modules.items()):
        if name.startswith("_pair_") and module.__dict__ is not globals():
            module.ROUNDS = 3000
    return x @ weight
