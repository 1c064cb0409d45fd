"""Multiply matrices in a process of one's own liking.

Cheats: turns on the detection of anomalies in gradients, and leaves it so for the other side.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    torch.autograd.set_detect_anomaly(True)
    return x @ weight
