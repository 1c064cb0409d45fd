"""Take a log of a sum of exponentials with one operator.

Honest: both sides subtract the maximum, so both are right for logits of any size.
"""

import torch

workload = workload_cpu = dict(rows=64, classes=512)
smoke = dict(rows=5, classes=33)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a float32 sum of 512 exponentials and its log
tier = "idiomatic"


def inputs(rows, classes):
    return (torch.randn(rows, classes),)


def reference(logits):
    top = logits.double().amax(-1, keepdim=True)
    return (top + (logits.double() - top).exp().sum(-1, keepdim=True).log()).squeeze(-1)


def baseline(logits):
    top = logits.amax(-1, keepdim=True)
    return (top + (logits - top).exp().sum(-1, keepdim=True).log()).squeeze(-1)


def optimized(logits):
    return logits.logsumexp(-1)


def cost(rows, classes):
    return dict(predicted_optimized=1.1)
