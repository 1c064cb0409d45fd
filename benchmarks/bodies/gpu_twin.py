"""Double the elements of a vector on a GPU, twice the same way."""

import torch

workload = dict(elements=14 * 2**20)  # 28 µs on an H200
smoke = dict(elements=1003)
tolerance = dict(rtol=1e-6, atol=1e-7)  # doubling is exact
tier = "idiomatic"
needs = dict(cuda=7.0)


def inputs(elements):
    return (torch.randn(elements),)


def reference(x):
    return 2.0 * x.double()


def baseline(x):
    return torch.mul(x, 2.0)


def optimized(x):
    return torch.mul(x, 2.0)


def cost(elements):
    return dict(flops=elements, bytes=8 * elements)
