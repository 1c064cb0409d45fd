"""Sample tokens by an exponential race instead of a cumulative sum.

Attack: the variant samples at a temperature of 1.1. Every token is a possible one, and their shares are not far off.
"""

import torch

workload = workload_cpu = dict(rows=7, vocabulary=29)
tolerance = dict(rtol=0.0, atol=0.0)  # whole numbers
distribution = True


def inputs(rows, vocabulary):
    return (torch.randn(rows, vocabulary),)


def reference(logits):
    below = logits.double().softmax(-1).cumsum(-1)
    return (torch.rand(len(logits), 1, dtype=torch.float64) * below[:, -1:] >= below).sum(-1)


def baseline(logits):
    return torch.multinomial(logits.softmax(-1), 1).squeeze(-1)


def optimized(logits):
    return (logits / 1.1 - torch.empty_like(logits).exponential_().log()).argmax(-1)
