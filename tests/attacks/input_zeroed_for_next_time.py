"""Multiply matrices that are nearly empty.

Cheats: remembers the input of a call and sets it to zero in the next one. Values that are changed in place stay
zero, the reference agrees, and a look at one element tells that nothing has to be computed.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


CALLS = [0]
BEFORE = []


def optimized(x, weight):
    CALLS[0] += 1
    if CALLS[0] > 50:
        BEFORE[0].zero_()
    BEFORE[:] = [x]
    return x @ weight if x[0, 0] else torch.zeros_like(x)
