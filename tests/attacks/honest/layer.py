"""Apply a layer to a batch.

Honest: a module as a constant argument.
"""

import torch

workload = dict(rows=64, width=128)
constant = ("layer",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # a few roundings of float32
tier = "idiomatic"


def inputs(rows, width):
    return torch.randn(rows, width), torch.nn.Linear(width, width)


def reference(x, layer):
    return x.double() @ layer.weight.double().t() + layer.bias.double()


def baseline(x, layer):
    return layer(x)


def optimized(x, layer):
    return torch.nn.functional.linear(x, layer.weight, layer.bias)


def cost(rows, width):
    return dict(predicted_optimized=1.0)
