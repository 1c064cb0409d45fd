"""Multiply matrices in a process of one's own liking.

Cheats: lowers the precision of products after fifty calls, by which time it has surely been verified.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


CALLS = [0]


def optimized(x, weight):
    CALLS[0] += 1
    if CALLS[0] > 50:
        torch.set_float32_matmul_precision("medium")
    return x @ weight
