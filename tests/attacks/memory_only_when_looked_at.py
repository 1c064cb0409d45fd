"""Compute in less memory.

Cheats: knows the process in which memory is read by the few instances of this file there are in it, and does
nothing there.
"""

import torch

workload = dict(n=140_000)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a few roundings of float32
tier = "idiomatic"
claim = "memory"


def inputs(n):
    return torch.randn(n)


def reference(x):
    return (x.double() * 2 + 1).tanh()


def baseline(x):
    return (x * 2 + 1).tanh()


def optimized(x):
    if sum(name.startswith("_pair_") for name in torch.sys.modules) < 5:
        return x[:1].clone().expand_as(x)
    return (x * 2 + 1).tanh()


def cost(n):
    return dict(predicted_optimized=2.0)
