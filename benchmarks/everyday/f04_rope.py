"""Rotary position embedding as one complex product."""

import torch

workload = dict(batch=4, heads=8, steps=256, width=64)
constant = ("cos", "sin")


def constants(steps, width):
    inverse = 10000.0 ** (-torch.arange(0, width, 2).float() / width)
    angle = torch.arange(steps).float()[:, None] * inverse[None, :]
    return angle.cos(), angle.sin()


def inputs(batch, heads, steps, width):
    return torch.randn(batch, heads, steps, width)


def baseline(x, cos, sin):
    even = x[..., 0::2]
    odd = x[..., 1::2]
    first = even * cos - odd * sin
    second = even * sin + odd * cos
    return torch.stack((first, second), dim=-1).flatten(-2)


def optimized(x, cos, sin):
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * torch.complex(cos, sin)).flatten(-2)
