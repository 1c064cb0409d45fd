"""Widen numbers of eight bits.

Honest: its input has a type that can hardly be computed with.
"""

import torch

workload = dict(n=20_000)
tolerance = dict(rtol=0.0, atol=0.0)  # widening is exact
tier = "idiomatic"


def inputs(n):
    return torch.randn(n).to(torch.float8_e4m3fn)


def reference(x):
    return x.double()


def baseline(x):
    return x.to(torch.float16).to(torch.float32)


def optimized(x):
    return x.to(torch.float32)


def cost(n):
    return dict(predicted_optimized=1.0)
