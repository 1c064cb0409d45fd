"""Chain operators in place on the one temporary that is needed.

Honest: both sides take their memory in the call. The variant takes it once.
"""

import torch

workload = workload_cpu = dict(elements=100_000)
smoke = dict(elements=777)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a few float32 operations on values near 1
tier = "idiomatic"
claim = "memory"


def inputs(elements):
    return (torch.randn(elements),)


def reference(x):
    x = x.double()
    return (x.abs() + 1).log() * x.sign()


def baseline(x):
    size = x.abs()
    grown = size + 1
    logs = grown.log()
    return logs * x.sign()


def optimized(x):
    return x.abs().log1p_().copysign_(x)


def cost(elements):
    return dict(predicted_optimized=4.0)
