"""Drop values by a mask of Bernoulli draws.

Honest: another stream of draws, and the same distribution up to the rounding of one product.
"""

import torch

workload = workload_cpu = dict(rows=7, width=11)
tolerance = dict(rtol=1e-5, atol=1e-6)  # one float32 product for each value
distribution = True
tier = "idiomatic"
KEPT = 0.7


def inputs(rows, width):
    return (torch.randn(rows, width),)


def reference(x):
    kept = torch.rand(x.shape, dtype=torch.float64) < KEPT
    return torch.where(kept, x.double() / KEPT, 0.0)


def baseline(x):
    return torch.nn.functional.dropout(x, 1 - KEPT)


def optimized(x):
    return x * (torch.bernoulli(torch.full_like(x, KEPT)) / KEPT)


def cost(rows, width):
    return dict(bytes=8 * rows * width)
