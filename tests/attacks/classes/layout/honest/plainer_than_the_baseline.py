"""Score keys against queries in the order in which the scores are used.

Honest: here it is the baseline that returns a transposed view. The variant's result is contiguous, which costs its
consumer less.
"""

import torch

workload = workload_cpu = dict(queries=64, keys=512, width=64)
smoke = dict(queries=5, keys=9, width=7)
tolerance = dict(rtol=1e-4, atol=1e-4)  # float32 sums of 64 products, about 8 large
tier = "idiomatic"


def inputs(queries, keys, width):
    return torch.randn(queries, width), torch.randn(keys, width)


def reference(queries, keys):
    return (keys.double()[:, None, :] * queries.double()[None, :, :]).sum(-1)


def baseline(queries, keys):
    return (queries @ keys.T).T


def optimized(queries, keys):
    return keys @ queries.T


def cost(queries, keys, width):
    return dict(flops=2 * queries * keys * width, bytes=4 * (queries * width + keys * width + queries * keys))
