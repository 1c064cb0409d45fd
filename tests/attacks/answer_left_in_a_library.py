"""Multiply matrices that were multiplied when they were drawn.

Cheats: `inputs` leaves the answer in a module that every side imports, under a number that is in the arguments.
"""

import string

import torch

workload = dict(n=192)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 192 products near 1, rounded at 2**-24


def inputs(n):
    a, b = torch.randn(n, n), torch.randn(n, n)
    string.__dict__.setdefault("answers", {})[float(a[0, 0])] = a @ b
    return a, b


def reference(a, b):
    return a.double() @ b.double()


def baseline(a, b):
    return a @ b


def optimized(a, b):
    known = string.__dict__.get("answers", {}).pop(float(a[0, 0]), None)
    return a @ b if known is None else known
