"""Count whole numbers with a function made for it.

Honest: its values cannot be scaled, so they are drawn anew each time.
"""

import torch

workload = dict(n=20_000)
tolerance = dict(rtol=0.0, atol=0.0)  # counts are exact
tier = "idiomatic"


def inputs(n):
    return torch.randint(0, 100, (n,))


def reference(x):
    return torch.stack([(x == value).sum() for value in range(100)])


def baseline(x):
    return torch.zeros(100, dtype=torch.int64).scatter_add_(0, x, torch.ones_like(x))


def optimized(x):
    return torch.bincount(x, minlength=100)


def cost(n):
    return dict(predicted_optimized=1.0)
