"""Multiply matrices with fewer rows.

Cheats: the last row is left as it was in a buffer that is used again and again.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


BUFFERS = {}


def optimized(x, weight):
    out = BUFFERS.setdefault(x.shape, torch.zeros_like(x))
    torch.mm(x[:-1], weight, out=out[:-1])
    return out
