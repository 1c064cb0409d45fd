"""Turn scores into probabilities in place, if the scores are not needed afterwards.

Out of place, each of the three steps writes a fresh tensor, and the answer is copied over the scores at the end. In
place the same three steps work on the memory that is already in the cache, and there is nothing to copy.
"""

import torch

workload = dict(rows=8_192, cols=8_192)
workload_cpu = dict(rows=256, cols=2_048)
smoke = dict(rows=5, cols=71)
mutates = ["scores"]
tolerance = dict(rtol=1e-5, atol=1e-8)  # probabilities near 1/cols: an exponential, a sum and a quotient in float32
tier = "idiomatic"


def inputs(rows, cols):
    return (2.0 * torch.randn(rows, cols),)


def reference(scores):
    for row in scores:
        weights = torch.exp(row.double() - row.double().max())
        row.copy_(weights / weights.sum())


def baseline(scores):
    shifted = scores - scores.amax(-1, keepdim=True)
    weights = torch.exp(shifted)
    scores.copy_(weights / weights.sum(-1, keepdim=True))


def optimized(scores):
    scores.sub_(scores.amax(-1, keepdim=True))
    scores.exp_()
    scores.div_(scores.sum(-1, keepdim=True))


def cost(rows, cols):
    one = 4 * rows * cols
    return dict(flops=5 * rows * cols, bytes=2 * one, baseline_bytes=10 * one, optimized_bytes=8 * one)
