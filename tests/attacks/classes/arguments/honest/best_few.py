"""Find the eight best logits of each row without a full sort.

Honest: most logits do not matter to the answer, but which of them do depends on all.
"""

import torch

KEEP = 8

workload = workload_cpu = dict(rows=8, vocabulary=4_096)
smoke = dict(rows=3, vocabulary=101)
tolerance = dict(rtol=0.0, atol=0.0)  # values are picked, not computed
tier = "idiomatic"


def inputs(rows, vocabulary):
    return (torch.randn(rows, vocabulary),)


def reference(logits):
    return torch.tensor([sorted(row, reverse=True)[:KEEP] for row in logits.double().tolist()]).double()


def baseline(logits):
    return logits.sort(-1, descending=True).values[:, :KEEP].contiguous()


def optimized(logits):
    return logits.topk(KEEP, -1, sorted=True).values


def cost(rows, vocabulary):
    return dict(predicted_optimized=5.0)
