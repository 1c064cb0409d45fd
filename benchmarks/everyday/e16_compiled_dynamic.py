"""Compile a pooled sentence embedding with dynamic shapes."""

import torch


def pool(h, mask):
    m = mask.unsqueeze(-1).to(h.dtype)
    e = (h * m).sum(1) / m.sum(1).clamp(min=1e-9)
    return torch.nn.functional.normalize(e, dim=-1)


fast = torch.compile(pool, dynamic=True)


def inputs():
    t = int(torch.randint(16, 65, ()))
    lens = torch.randint(1, t + 1, (8,))
    return torch.randn(8, t, 96), torch.arange(t)[None] < lens[:, None]


def baseline(h, mask):
    return pool(h, mask)


def optimized(h, mask):
    return fast(h, mask)
