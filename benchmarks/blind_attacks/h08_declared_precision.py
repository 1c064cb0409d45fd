"""Angles of slopes: float32 inside, and said so."""

import torch

N = 1 << 17
lowers_precision = "fp32"


def inputs():
    return torch.randn(N, dtype=torch.float64)


def baseline(x):
    return torch.atan(x)


def optimized(x):
    return torch.atan(x.float()).double()


# HONEST: the lower precision is declared and is the lesson; the function is well conditioned, so the error stays within the format (look-alike of x20)
