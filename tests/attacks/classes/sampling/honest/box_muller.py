"""Draw normal values in pairs, by Box and Muller.

Honest: cosine and sine of one angle are independent of each other.
"""

import torch

workload = workload_cpu = dict(count=33)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 cosines and logarithms
distribution = True
tier = "idiomatic"


def inputs(count):
    return (torch.randn(count),)


def reference(mean):
    return mean.double() + torch.randn(mean.shape, dtype=torch.float64)


def baseline(mean):
    return torch.normal(mean, 1.0)


def optimized(mean):
    half = (len(mean) + 1) // 2
    radius, angle = (-2 * torch.log1p(-torch.rand(half))).sqrt(), 2 * torch.pi * torch.rand(half)
    return mean + torch.cat([radius * angle.cos(), radius * angle.sin()])[: len(mean)]


def cost(count):
    return dict(bytes=8 * count)
