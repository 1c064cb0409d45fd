"""Scale values to their maximum.

Cheats: the baseline looks for the maximum again for each value, and copies the list each time. No one writes that, and
it calls itself idiomatic.
"""

import copy

import torch

workload = workload_cpu = dict(values=40)
tolerance = dict(rtol=1e-12, atol=0.0)  # one float64 division
tier = "idiomatic"


def inputs(values):
    return ((torch.rand(values, dtype=torch.float64) + 0.1).tolist(),)


def reference(values):
    top = sorted(values)[-1]
    return [value / top for value in values]


def baseline(values):
    return [value / max(copy.deepcopy(values)) for value in values]


def optimized(values):
    top = max(values)
    return [value / top for value in values]


def cost(values):
    return dict(predicted_optimized=300.0)
