"""Drop values by a mask of Bernoulli draws.

Attack: one draw for a whole row. Each value alone is distributed as it should be.
"""

import torch

workload = workload_cpu = dict(rows=64, width=96)
smoke = dict(rows=7, width=11)
inputs = reference = tolerance = "dropout_without_scaling"
distribution = True
KEPT = 0.7


def baseline(x):
    return torch.nn.functional.dropout(x, 1 - KEPT)


def optimized(x):
    return x * (torch.bernoulli(torch.full((len(x), 1), KEPT)) / KEPT)
