"""Drop values by a mask of Bernoulli draws.

Attack: what is kept is not divided by the share that is kept, which saves a product.
"""

import torch

workload = workload_cpu = dict(rows=64, width=96)
smoke = dict(rows=7, width=11)
tolerance = dict(rtol=1e-5, atol=1e-6)  # one float32 product for each value
distribution = True
KEPT = 0.7


def inputs(rows, width):
    return (torch.randn(rows, width),)


def reference(x):
    kept = torch.rand(x.shape, dtype=torch.float64) < KEPT
    return torch.where(kept, x.double() / KEPT, 0.0)


def baseline(x):
    return torch.nn.functional.dropout(x, 1 - KEPT)


def optimized(x):
    return x * torch.bernoulli(torch.full_like(x, KEPT))
