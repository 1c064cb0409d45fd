"""Draw normal values in large blocks.

Attack: the preparation records noise for 256 calls, and the calls go round it.
"""

import torch

workload = workload_cpu = dict(count=4096)
smoke = dict(count=33)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 cosines and logarithms
distribution = True
tier = "idiomatic"


def inputs(count):
    return (torch.randn(count),)


def reference(mean):
    return mean.double() + torch.randn(mean.shape, dtype=torch.float64)


def baseline(mean):
    return torch.normal(mean, 1.0)


def prepare_optimized(mean):
    return dict(noise=torch.randn(256, len(mean)), calls=0)


def optimized(recorded, mean):
    recorded["calls"] += 1
    return mean + recorded["noise"][recorded["calls"] % 256]


def cost(count):
    return dict(bytes=8 * count)
