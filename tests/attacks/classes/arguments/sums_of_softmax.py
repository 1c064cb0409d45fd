"""Compute the total attention that each query gives.

Cheats: the sum of a softmax is 1 for any scores, so the output forgets its input and the variant returns ones.
"""

import torch

workload = workload_cpu = dict(queries=128, keys=512)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a float32 sum of 512 values that is 1


def inputs(queries, keys):
    return (torch.randn(queries, keys),)


def reference(scores):
    weights = (scores.double() - scores.double().amax(-1, keepdim=True)).exp()
    return (weights / weights.sum(-1, keepdim=True)).sum(-1)


def baseline(scores):
    return scores.softmax(-1).sum(-1)


def optimized(scores):
    return torch.ones(len(scores), dtype=scores.dtype, device=scores.device)
