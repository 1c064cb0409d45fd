"""Take a gradient with a product of its own, and look for anomalies as before.

Honest: both sides are in anomaly mode, so it is part of the work.
"""

import torch

workload = workload_cpu = dict(rows=64, width=64)
smoke = dict(rows=3, width=5)
tolerance = dict(rtol=1e-4, atol=1e-3)  # float32 sums of 64 products that cancel
tier = "idiomatic"


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(width, width)


def reference(x, weight):
    return gradient(x.double(), weight.double())


def baseline(x, weight):
    with torch.autograd.set_detect_anomaly(True):
        return gradient(x, weight)


def optimized(x, weight):
    with torch.autograd.set_detect_anomaly(True):
        slope = torch.tanh(x @ weight)
        return x.T @ (2 * slope * (1 - slope * slope))


def gradient(x, weight):
    weight = weight.detach().requires_grad_(True)
    (found,) = torch.autograd.grad(torch.tanh(x @ weight).square().sum(), weight)
    return found
