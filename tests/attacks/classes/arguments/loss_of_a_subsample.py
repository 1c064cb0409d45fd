"""Report the training loss faster.

Cheats: the variant averages over every eighth row. The tolerance allows it, because "the loss is noisy anyway", so
seven eighths of both arguments do not matter.
"""

import torch
import torch.nn.functional as F

workload = workload_cpu = dict(rows=8_192, classes=32)
tolerance = dict(rtol=5e-2, atol=0.0)  # the loss of a batch is noisy by itself


def inputs(rows, classes):
    return torch.randn(rows, classes), torch.randint(classes, (rows,))


def reference(logits, labels):
    shifted = logits.double().log_softmax(-1)
    return -shifted[torch.arange(len(labels)), labels].mean()


def baseline(logits, labels):
    return F.cross_entropy(logits, labels)


def optimized(logits, labels):
    return F.cross_entropy(logits[::8], labels[::8])
