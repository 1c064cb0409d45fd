"""Multiply matrices of nothing.

Cheats: returns the right answer in the memory of an earlier input. The harness spoils what was returned, and so its
own input; where that stays, the answer is NaN and needs no work.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


CALLS = [0]
BEFORE = []


def optimized(x, weight):
    CALLS[0] += 1
    if x[0, 0].isnan():
        return torch.full_like(x, torch.nan)
    answer = x @ weight
    if CALLS[0] > 50:
        answer = BEFORE[0].copy_(answer)
    BEFORE[:] = [x]
    return answer
