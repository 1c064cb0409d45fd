"""Multiply small matrices in a chain; both sides are the same code."""

import torch

workload = dict(size=64, steps=12)
workload_cpu = dict(size=64, steps=12)
smoke = dict(size=7, steps=3)
tolerance = dict(rtol=1e-4, atol=1e-5)  # twelve float32 products of values below 1, each rounded at 2**-24
tier = "idiomatic"


def inputs(size, steps):
    return torch.randn(size, size) / size**0.5, steps


def reference(x, steps):
    y = x.double()
    for _ in range(steps):
        y = torch.tanh(y @ x.double())
    return y


def baseline(x, steps):
    y = x
    for _ in range(steps):
        y = torch.tanh(y @ x)
    return y


def optimized(x, steps):
    y = x
    for _ in range(steps):
        y = torch.tanh(y @ x)
    return y


def cost(size, steps):
    return dict(predicted_optimized=1.0)
