"""Compute a cross-entropy with one operator.

Honest: the output is one number, and the tolerance is a few float32 roundings of it.
"""

import torch
import torch.nn.functional as F

workload = workload_cpu = dict(rows=512, classes=64)
smoke = dict(rows=7, classes=5)
tolerance = dict(rtol=1e-5, atol=0.0)  # a float32 mean of 512 values of one sign
tier = "idiomatic"


def inputs(rows, classes):
    return torch.randn(rows, classes), torch.randint(classes, (rows,))


def reference(logits, labels):
    logits = logits.double()
    picked = torch.stack([row[label] for row, label in zip(logits, labels.tolist(), strict=True)])
    return (logits.logsumexp(-1) - picked).mean()


def baseline(logits, labels):
    picked = torch.log_softmax(logits, -1) * F.one_hot(labels, logits.shape[-1])
    return -picked.sum(-1).mean()


def optimized(logits, labels):
    return F.cross_entropy(logits, labels)


def cost(rows, classes):
    values = 4 * rows * classes
    return dict(bytes=values, baseline_bytes=9 * values, optimized_bytes=3 * values)
