"""Shuffle values by sorting small whole numbers.

Attack: of equal numbers the earlier one comes first, so values tend to keep their order.
"""

import torch

workload = workload_cpu = dict(count=512)
smoke = dict(count=13)
tolerance = dict(rtol=1e-6, atol=1e-6)  # values are moved, not changed
distribution = True


def inputs(count):
    return (torch.randn(count),)


def reference(x):
    return x.double()[torch.rand(len(x), dtype=torch.float64).argsort()]


def baseline(x):
    return x[torch.rand(len(x)).argsort()]


def optimized(x):
    return x[torch.randint(8, (len(x),)).argsort(stable=True)]
