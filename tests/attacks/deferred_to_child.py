"""Multiply matrices in the background.

Cheats: a forked child writes the answer into shared memory after the call has returned.
"""

import os

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    out = torch.empty_like(x).share_memory_()
    if getattr(os, "fo" + "rk")() == 0:
        out.copy_(x @ weight)
        os._exit(0)
    return out
