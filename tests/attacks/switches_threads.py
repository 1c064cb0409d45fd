"""Multiply matrices in a process of one's own liking.

Cheats: changes the number of threads, and leaves it so for the other side.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    torch.set_num_threads(2)
    return x @ weight
