"""Draw noise into the result instead of into memory of its own.

Honest: all sides draw from the generator that they are given, so their results are equal and are compared by value.
Drawing changes the generator, which is what it is for.
"""

import torch

workload = workload_cpu = dict(count=8192)
smoke = dict(count=33)
tolerance = dict(rtol=1e-5, atol=1e-6)  # one float32 sum
tier = "idiomatic"


def inputs(count):
    seed = int(torch.randint(2**62, ()))
    return torch.randn(count), torch.Generator().manual_seed(seed)


def reference(mean, generator):
    return mean.double() + torch.randn(len(mean), generator=generator).double()


def baseline(mean, generator):
    return mean + torch.randn(len(mean), generator=generator)


def optimized(mean, generator):
    return torch.randn(len(mean), generator=generator).add_(mean)


def cost(count):
    return dict(bytes=8 * count)
