"""Take a mean without importing a library for it.

Honest: each side imports what it needs in the call. `statistics` brings fractions, decimals and a random generator.
"""

import torch

workload = workload_cpu = dict(values=200)
smoke = dict(values=7)
tolerance = dict(rtol=1e-12, atol=1e-12)  # a float64 mean of values below 1
tier = "idiomatic"
claim = "startup"


def inputs(values):
    return (torch.rand(values, dtype=torch.float64).tolist(),)


def reference(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def baseline(values):
    import statistics

    return statistics.mean(values)


def optimized(values):
    import math

    return math.fsum(values) / len(values)


def cost(values):
    return dict(predicted_optimized=1.05)
