"""Take an Adam step with operators that multiply and add in one pass.

Honest: the step changes a parameter by a thousandth, which looks like a branch below the tolerance. The tolerance is
a few float32 roundings, far below the step.
"""

import torch

RATE, FIRST, SECOND, EPSILON = 1e-3, 0.9, 0.999, 1e-8

workload = workload_cpu = dict(elements=20_000)
smoke = dict(elements=777)
mutates = ("parameter", "mean", "square")
domain = dict(square=(0.0, 1.0))  # a mean of squares is never negative
tolerance = dict(rtol=1e-6, atol=2e-7)  # parameters near 1 and a handful of roundings at 2**-24 (6e-8)
tier = "idiomatic"


def inputs(elements):
    return torch.randn(elements), torch.randn(elements), torch.randn(elements), torch.rand(elements)


def reference(parameter, gradient, mean, square):
    gradient = gradient.double()
    mean.copy_(FIRST * mean + (1 - FIRST) * gradient)
    square.copy_(SECOND * square + (1 - SECOND) * gradient**2)
    parameter.copy_(parameter - RATE * mean / (square.sqrt() + EPSILON))


def baseline(parameter, gradient, mean, square):
    mean.copy_(FIRST * mean + (1 - FIRST) * gradient)
    square.copy_(SECOND * square + (1 - SECOND) * gradient * gradient)
    parameter.copy_(parameter - RATE * mean / (square.sqrt() + EPSILON))


def optimized(parameter, gradient, mean, square):
    mean.mul_(FIRST).add_(gradient, alpha=1 - FIRST)
    square.mul_(SECOND).addcmul_(gradient, gradient, value=1 - SECOND)
    parameter.addcdiv_(mean, square.sqrt().add_(EPSILON), value=-RATE)


def cost(elements):
    return dict(bytes=28 * elements, baseline_bytes=140 * elements, optimized_bytes=84 * elements)
