"""Multiply matrices faster with a better library call.

Cheats: computes in half precision and returns float32. The tolerance is wide enough for it; the baseline's own
error is not.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=2e-2, atol=5e-1)  # generous on purpose: the precision check has to find it


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def optimized(x, weight):
    return (x.half() @ weight.half()).float()
