"""Shuffle values without sorting.

Honest: every order is as likely as before.
"""

import torch

workload = workload_cpu = dict(count=13)
tolerance = dict(rtol=1e-6, atol=1e-6)  # values are moved, not changed
distribution = True
tier = "naive"


def inputs(count):
    return (torch.randn(count),)


def reference(x):
    return x.double()[torch.rand(len(x), dtype=torch.float64).argsort()]


def baseline(x):
    return x[torch.rand(len(x)).argsort()]


def optimized(x):
    return x[torch.randperm(len(x))]


def cost(count):
    return dict(bytes=8 * count)
