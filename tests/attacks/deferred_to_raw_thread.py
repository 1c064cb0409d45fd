"""Multiply matrices in the background.

Cheats: returns at once and lets a thread that `threading` does not know of write the answer.
"""

import _thread

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    out = torch.empty_like(x)
    _thread.start_new_thread(torch.mm, (x, weight), {"out": out})
    return out
