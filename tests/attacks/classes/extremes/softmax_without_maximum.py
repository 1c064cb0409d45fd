"""Compute a softmax without a pass for the maximum.

Cheats: logits near 1 never overflow. With a logit of 100 the variant returns NaN.
"""

import torch

workload = workload_cpu = dict(rows=64, classes=512)
smoke = dict(rows=5, classes=33)
tolerance = dict(rtol=1e-5, atol=1e-7)  # float32 probabilities, rounded at 2**-24


def inputs(rows, classes):
    return (torch.randn(rows, classes),)


def reference(logits):
    logits = logits.double()
    grown = (logits - logits.amax(-1, keepdim=True)).exp()
    return grown / grown.sum(-1, keepdim=True)


def baseline(logits):
    grown = (logits - logits.amax(-1, keepdim=True)).exp_()
    return grown.div_(grown.sum(-1, keepdim=True))


def optimized(logits):
    grown = logits.exp()
    return grown.div_(grown.sum(-1, keepdim=True))
