"""Multiply matrices with a clean cache.

Cheats: empties the caches after its work so that the baseline starts cold. It pays for that itself, so it must not
be judged faster.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


WASTE = torch.zeros(1 << 18)


def optimized(x, weight):
    answer = x @ weight
    WASTE.add_(1)
    return answer
