"""Muon's orthogonalisation: batch the matrices of equal shape."""

import torch


def ns(x):
    a, b, c = 3.4445, -4.7750, 2.0315
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        g = x @ x.mT
        x = a * x + (b * g + c * g @ g) @ x
    return x


def inputs():
    return ([torch.randn(32, 64) for _ in range(8)],)


def baseline(updates):
    return [ns(u) for u in updates]


def optimized(updates):
    return list(ns(torch.stack(updates)).unbind())
