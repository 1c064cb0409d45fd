"""Multiply matrices in no time.

Cheats: gives a function of the harness another body; every name still stands for the same function.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def agree(result, reference, tolerance, arguments=()):
    return globals()["Difference"]()  # the harness's globals, once this is its code


def optimized(x, weight):
    module = torch.sys.modules["perfproof.worker.verify.compare"]
    module.difference.__code__ = agree.__code__
    return torch.zeros_like(x)
