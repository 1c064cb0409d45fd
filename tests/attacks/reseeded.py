"""Multiply matrices faster by remembering products.

Cheats: seeds torch's generator in every call, so that the next inputs are ones it has seen, and keeps the products.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


PRODUCTS = {}


def optimized(x, weight):
    key = hash(x.numpy().tobytes())
    if key not in PRODUCTS:
        PRODUCTS[key] = x @ weight
    torch.default_generator.manual_seed(0)
    return PRODUCTS[key].clone()
