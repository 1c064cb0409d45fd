"""Update weights in place.

Honest: says in `mutates` what it changes.
"""

import torch

workload = dict(n=20_000)
mutates = ("weight",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # a few roundings of float32
tier = "idiomatic"


def inputs(n):
    return torch.randn(n), torch.randn(n)


def reference(weight, gradient):
    weight.sub_(0.1 * gradient.double())


def baseline(weight, gradient):
    weight.copy_(weight - 0.1 * gradient)


def optimized(weight, gradient):
    weight.add_(gradient, alpha=-0.1)


def cost(n):
    return dict(predicted_optimized=1.0)
