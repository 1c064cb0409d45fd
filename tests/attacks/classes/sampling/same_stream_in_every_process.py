"""Draw normal values from a generator of its own.

Attack: its seed is written down, so every process gives the same samples in the same order.
"""

import torch

workload = workload_cpu = dict(count=4096)
smoke = dict(count=33)
inputs = reference = tolerance = "one_sample_repeated"
distribution = True
GENERATOR = torch.Generator().manual_seed(1)


def baseline(mean):
    return torch.normal(mean, 1.0)


def optimized(mean):
    return mean + torch.randn(len(mean), generator=GENERATOR)
