"""Multiply matrices and give what rounding took from the sum.

Cheats: computes in half precision. A second part of the result is nothing but rounding, so that the baseline's own
error is as large as can be; it must not excuse the first part.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=2e-2, atol=5e-1)  # generous on purpose: the precision check has to find it


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def lost(x):
    return (x[0] + 1e7) - 1e7


def reference(x, weight):
    return x.double() @ weight.double(), lost(x.double())


def baseline(x, weight):
    return x @ weight, lost(x)


def optimized(x, weight):
    return (x.half() @ weight.half()).float(), lost(x)
