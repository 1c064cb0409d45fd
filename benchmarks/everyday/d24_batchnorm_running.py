"""Batch norm with running statistics: by hand against F.batch_norm."""

import torch
import torch.nn.functional as F

mutates = ["mean", "var"]


def inputs():
    return torch.randn(32, 16, 8, 8) * 2 + 1, torch.randn(16), torch.rand(16) + 0.5


def baseline(x, mean, var):
    m = x.mean((0, 2, 3))
    v = x.var((0, 2, 3), unbiased=False)
    n = x.numel() / x.shape[1]
    mean.mul_(0.9).add_(0.1 * m)
    var.mul_(0.9).add_(0.1 * v * n / (n - 1))
    return (x - m[:, None, None]) / torch.sqrt(v[:, None, None] + 1e-5)


def optimized(x, mean, var):
    return F.batch_norm(x, mean, var, training=True, momentum=0.1)
