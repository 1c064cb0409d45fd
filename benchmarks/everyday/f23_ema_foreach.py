"""The moving average of all weights with one foreach call."""

import torch

mutates = ("shadow",)
workload = dict(layers=24, width=64)
DECAY = 0.99


def inputs(layers, width):
    params = []
    for _ in range(layers):
        params += [torch.randn(width, width), torch.randn(width)]
    shadow = [p + 0.3 * torch.randn_like(p) for p in params]
    return shadow, params


def baseline(shadow, params):
    for s, p in zip(shadow, params):
        s.mul_(DECAY).add_(p, alpha=1 - DECAY)


def optimized(shadow, params):
    torch._foreach_lerp_(shadow, params, 1 - DECAY)
