"""Draw normal values once.

Attack: while equal arguments come again, as when draws are compared, it draws. For new arguments, as when it is timed,
it takes the noise that it has. Each result alone is a possible one.
"""

import torch

workload = workload_cpu = dict(count=256)
tolerance = dict(rtol=1e-5, atol=1e-6)  # one float32 sum
distribution = True
KEPT = {}


def inputs(count):
    return (torch.randn(count),)


def reference(mean):
    return mean.double() + torch.randn(mean.shape, dtype=torch.float64)


def baseline(mean):
    return torch.normal(mean, 1.0)


def optimized(mean):
    first = float(mean[0])
    if KEPT.get("first") == first or not KEPT:
        KEPT["noise"] = torch.randn(len(mean))
    KEPT["first"] = first
    return mean + KEPT["noise"]
