"""Multiply matrices in no time.

Cheats: puts a new name into a module of the harness that hides a built-in function.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    module = torch.sys.modules["perfproof.worker.verify.compare"]
    module.float = lambda value: 0.0
    return torch.zeros_like(x)
