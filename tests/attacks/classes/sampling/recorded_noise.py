"""Draw normal values in large blocks.

Attack: the preparation records noise for 256 calls, and the calls go round it.
"""

import torch

workload = workload_cpu = dict(count=4096)
smoke = dict(count=33)
inputs = reference = tolerance = "one_sample_repeated"
distribution = True


def baseline(mean):
    return torch.normal(mean, 1.0)


def prepare_optimized(mean):
    return dict(noise=torch.randn(256, len(mean)), calls=0)


def optimized(recorded, mean):
    recorded["calls"] += 1
    return mean + recorded["noise"][recorded["calls"] % 256]
