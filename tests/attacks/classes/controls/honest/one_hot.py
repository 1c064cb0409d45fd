"""Make one-hot rows by scattering ones instead of comparing every class.

Honest: all but one in 500 of the outputs is zero, and they are checked exactly.
"""

import torch

workload = workload_cpu = dict(rows=64, classes=500)
smoke = dict(rows=5, classes=7)
constant = ("classes",)
tolerance = dict(rtol=0.0, atol=0.0)  # zeros and ones are exact
tier = "idiomatic"


def inputs(rows, classes):
    return torch.randint(classes, (rows,)), classes


def reference(labels, classes):
    return torch.tensor([[float(label == place) for place in range(classes)] for label in labels.tolist()])


def baseline(labels, classes):
    return (labels[:, None] == torch.arange(classes)[None, :]).float()


def optimized(labels, classes):
    return torch.zeros(len(labels), classes).scatter_(1, labels[:, None], 1.0)


def cost(rows, classes):
    return dict(bytes=4 * rows * classes, baseline_bytes=14 * rows * classes)
