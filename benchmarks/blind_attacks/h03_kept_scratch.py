"""Weighted polynomial of a batch: keep the scratch memory, return fresh results."""

import torch

N = 1 << 20
_scratch = {}


def inputs():
    return torch.randn(N), torch.rand(N)


def baseline(x, w):
    square = x * x
    scaled = square * -0.5
    raised = scaled + w
    weighted = raised * w
    return weighted + x


def optimized(x, w):
    t = _scratch.get(x.shape)
    if t is None or t.dtype != x.dtype:
        t = _scratch[x.shape] = torch.empty(x.shape, dtype=x.dtype)
    torch.mul(x, x, out=t)
    t.mul_(-0.5).add_(w).mul_(w)
    return t + x


# HONEST: a kept buffer holds intermediate values only and is filled anew by each call; the result has its own memory (look-alike of x25)
