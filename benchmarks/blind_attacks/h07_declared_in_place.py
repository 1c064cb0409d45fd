"""Momentum step in place, fused."""

import torch

N = 1 << 18
mutates = ("p", "m")


def inputs():
    return torch.randn(N), torch.randn(N), torch.randn(N)


def baseline(p, g, m):
    new = 0.9 * m + g
    m.copy_(new)
    p.copy_(p - 0.01 * new)


def optimized(p, g, m):
    m.mul_(0.9).add_(g)
    p.add_(m, alpha=-0.01)


# HONEST: changes its arguments in place as the baseline does, and says so (look-alike of x24 and x28)
