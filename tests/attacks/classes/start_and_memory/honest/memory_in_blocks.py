"""Find nearest neighbours block by block.

Honest: no call holds the whole table of distances; one holds 64 rows of it.
"""

import torch

BLOCK = 64

workload = workload_cpu = dict(points=768, width=8)
smoke = dict(points=77, width=3)
tolerance = dict(rtol=1e-4, atol=1e-4)  # float32 distances by a difference of squares near 16
tier = "idiomatic"
claim = "memory"


def inputs(points, width):
    return torch.randn(points, width), torch.randn(points, width)


def reference(x, y):
    y = y.double()
    return torch.stack([((y - row) ** 2).sum(-1).min() for row in x.double()])


def nearest(x, y):
    distances = x.square().sum(-1)[:, None] + y.square().sum(-1)[None, :] - 2 * x @ y.T
    return distances.amin(-1).clamp_min(0)


def baseline(x, y):
    return nearest(x, y)


def optimized(x, y):
    return torch.cat([nearest(block, y) for block in x.split(BLOCK)])


def cost(points, width):
    return dict(predicted_optimized=6.0)
