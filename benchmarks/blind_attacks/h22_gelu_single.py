"""Compute GELU in single precision where the caller can do with it.

The lesson is the precision: half the bytes and twice the lanes. It is declared, and the result keeps its type.
"""

import torch
import torch.nn.functional as F

workload = dict(n=1 << 17)
smoke = dict(n=1003)
lowers_precision = "fp32"


def inputs(n):
    return torch.randn(n, dtype=torch.float64)


def baseline(x):
    return F.gelu(x)


def optimized(x):
    return F.gelu(x.float()).double()
