"""Project rows with weights that the file draws on import.

Honest: nothing is seeded, and all instances of the file have the same weights.
"""

import random

import numpy
import torch

workload = dict(n=128)
WEIGHT, BIAS, SCALE = torch.randn(128, 64), torch.from_numpy(numpy.random.rand(64)).float(), random.uniform(1.0, 2.0)


def inputs(n):
    return torch.randn(n, 128)


def baseline(x):
    return (x @ WEIGHT.to(x.dtype) + BIAS.to(x.dtype)) * SCALE


def optimized(x):
    return torch.addmm(BIAS.to(x.dtype), x, WEIGHT.to(x.dtype)) * SCALE
