"""Draw normal values once.

Attack: the noise of the first call is added in every call.
"""

import torch

workload = workload_cpu = dict(count=4096)
smoke = dict(count=33)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 cosines and logarithms
distribution = True
NOISE = {}


def inputs(count):
    return (torch.randn(count),)


def reference(mean):
    return mean.double() + torch.randn(mean.shape, dtype=torch.float64)


def baseline(mean):
    return torch.normal(mean, 1.0)


def optimized(mean):
    if len(mean) not in NOISE:
        NOISE[len(mean)] = torch.randn(len(mean))
    return mean + NOISE[len(mean)]
