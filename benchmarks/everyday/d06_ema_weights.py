"""Exponential moving average of weights in one foreach call."""

import torch

decay = 0.995
mutates = ["shadow"]
_calls = 0


def inputs():
    shapes = [(64, 64), (64,)] * 20
    return [torch.randn(s) for s in shapes], [torch.randn(s) for s in shapes]


def baseline(shadow, weights):
    global _calls
    _calls += 1
    with torch.no_grad():
        for s, w in zip(shadow, weights):
            s.mul_(decay).add_(w, alpha=1 - decay)


def optimized(shadow, weights):
    global _calls
    _calls += 1
    torch._foreach_lerp_(shadow, weights, 1 - decay)
