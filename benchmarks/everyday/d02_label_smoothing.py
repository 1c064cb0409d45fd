"""Label smoothing: one-hot targets by hand against the argument of cross_entropy."""

import torch
import torch.nn.functional as F

EPS = 0.1
workload = dict(batch=256, classes=500)


def inputs(batch, classes):
    return torch.randn(batch, classes), torch.randint(classes, (batch,))


def baseline(logits, target):
    n = logits.shape[-1]
    onehot = F.one_hot(target, n).to(logits.dtype)
    soft = onehot * (1 - EPS) + EPS / n
    return -(soft * F.log_softmax(logits, -1)).sum(-1).mean()


def optimized(logits, target):
    return F.cross_entropy(logits, target, label_smoothing=EPS)
