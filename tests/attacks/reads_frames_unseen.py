"""Multiply only the matrices that are looked at.

Cheats: looks into the frame of its caller for the list of calls, with a name that is put together at run time; only
the last answer is ever looked at.
"""

import sys

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


BLANK = torch.empty(0)


def optimized(x, weight):
    sets = getattr(sys, "_get" + "frame")(1).f_locals.get("sets")
    return x @ weight if sets is None or sets[-1][0] is x else BLANK


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
