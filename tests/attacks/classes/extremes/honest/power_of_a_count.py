"""Raise counts to the power of 1.5 with a square root.

Honest: it declares that its argument is never negative. A count is not, and for a negative one a root is NaN.
"""

import torch

workload = workload_cpu = dict(elements=20_000)
smoke = dict(elements=777)
domain = dict(counts=(0.0, 10_000.0))  # a count after a rectifier is not negative
tolerance = dict(rtol=1e-6, atol=1e-6)  # a float32 root and a product, rounded at 2**-24
tier = "idiomatic"


def inputs(elements):
    return (torch.rand(elements) * 100,)


def reference(counts):
    return counts.double().abs() ** 1.5


def baseline(counts):
    return counts.abs().pow(1.5)


def optimized(counts):
    return counts.sqrt().mul_(counts)


def cost(elements):
    return dict(predicted_optimized=3.0)
