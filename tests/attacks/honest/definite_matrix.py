"""Factorise a matrix by a library call.

Honest: its input is symmetric and positive definite, and there is no factor where it is not.
"""

import torch

workload = dict(n=64)
tolerance = dict(rtol=1e-5, atol=1e-5)  # a few roundings of float32
tier = "idiomatic"


def inputs(n):
    x = torch.randn(n, n)
    return x @ x.t() + n * torch.eye(n)


def reference(x):
    return torch.linalg.cholesky(x.double())


def baseline(x):
    return torch.linalg.cholesky(x)


def optimized(x):
    return torch.linalg.cholesky_ex(x).L


def cost(n):
    return dict(predicted_optimized=1.0)
