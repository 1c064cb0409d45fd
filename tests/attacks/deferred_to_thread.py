"""Multiply matrices in the background.

Cheats: returns at once and lets a thread write the answer while nobody looks at the clock.
"""

import threading

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    out = torch.empty_like(x)
    threading.Timer(0.0005, torch.mm, (x, weight), {"out": out}).start()
    return out
