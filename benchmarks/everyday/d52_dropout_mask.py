"""Inverted dropout: rand and compare against bernoulli_."""

import torch

distribution = True


def inputs():
    return torch.randn(64, 32) + 3


def baseline(x):
    return x * (torch.rand_like(x) > 0.3) / 0.7


def optimized(x):
    return x * torch.empty_like(x).bernoulli_(0.7).div_(0.7)
