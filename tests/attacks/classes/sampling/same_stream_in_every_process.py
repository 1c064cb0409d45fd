"""Draw normal values from a generator of its own.

Attack: its seed is written down, so every process gives the same samples in the same order.
"""

import torch

workload = workload_cpu = dict(count=4096)
smoke = dict(count=33)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 cosines and logarithms
distribution = True
tier = "idiomatic"
GENERATOR = torch.Generator().manual_seed(1)


def inputs(count):
    return (torch.randn(count),)


def reference(mean):
    return mean.double() + torch.randn(mean.shape, dtype=torch.float64)


def baseline(mean):
    return torch.normal(mean, 1.0)


def optimized(mean):
    return mean + torch.randn(len(mean), generator=GENERATOR)


def cost(count):
    return dict(bytes=8 * count)
