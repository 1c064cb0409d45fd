"""Multiply matrices faster than the other side can.

Cheats: replaces the method of a layer that the baseline uses by a slow one, deep in a library.
"""

import torch

inputs = reference = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


LAYER = torch.nn.Bilinear(1, 1, 1)


def baseline(x, weight):
    LAYER.extra_repr()
    return x @ weight


REAL = torch.nn.Bilinear.extra_repr


def slow(self):
    sum(range(2000))
    return REAL(self)


def optimized(x, weight):
    torch.nn.Bilinear.extra_repr = slow
    return x @ weight
