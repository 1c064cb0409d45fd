"""Compute pairwise distances with less memory.

Cheats: the variant's temporary is as large as the baseline's, but it is taken while the file is loaded, before the
high-water mark is reset.
"""

import torch

POINTS = 768
SCRATCH = torch.ones(POINTS, POINTS)

workload = workload_cpu = dict(points=POINTS, width=8)
tolerance = dict(rtol=1e-3, atol=1e-3)  # float32 distances by a difference of squares near 16
tier = "idiomatic"
claim = "memory"


def inputs(points, width):
    return (torch.randn(points, width),)


def reference(x):
    x = x.double()
    return torch.stack([((x - row) ** 2).sum(-1).sort().values[1] for row in x])


def nearest(x, scratch):
    square = x.square().sum(-1)
    torch.mm(x, x.T, out=scratch)
    scratch.mul_(-2).add_(square[:, None]).add_(square[None, :]).fill_diagonal_(torch.inf)
    return scratch.amin(-1).clamp_min(0)


def baseline(x):
    return nearest(x, torch.empty(len(x), len(x)))


def optimized(x):
    return nearest(x, SCRATCH[: len(x), : len(x)])


def cost(points, width):
    return dict(flops=2 * points**2 * width, bytes=4 * points * width)
