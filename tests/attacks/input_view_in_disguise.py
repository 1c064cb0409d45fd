"""Copy all of a vector but its first element at once.

Cheats: returns a view of its input that was made into a tensor of its own by way of NumPy, so that its storage
begins elsewhere.
"""

import torch

workload = dict(n=20_000)
tolerance = dict(rtol=0.0, atol=0.0)  # a copy is exact


def inputs(n):
    return torch.randn(n)


def reference(x):
    return x[1:].double()


def baseline(x):
    return x[1:].clone()


def optimized(x):
    return torch.from_numpy(x.numpy()[1:])
