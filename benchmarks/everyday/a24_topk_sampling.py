"""Take the k largest logits with topk instead of sorting the vocabulary.

Sampling from the k best tokens needs their order only among themselves. A sort of the vocabulary compares log2(vocab)
times per token and writes all of it, with its indices; a selection reads each logit about once.
"""

import math

import torch

workload = dict(rows=256, vocab=128_000, k=50)
workload_cpu = dict(rows=8, vocab=8_192, k=50)
smoke = dict(rows=3, vocab=77, k=5)
constant = ("k",)
tolerance = dict(rtol=1e-5, atol=1e-7)  # a float32 softmax over 50 values
tier = "naive"


def inputs(rows, vocab, k):
    return torch.randn(rows, vocab), k


def reference(logits, k):
    weights, tokens = [], []
    for row in logits.double():
        best = sorted(range(len(row)), key=row.tolist().__getitem__, reverse=True)[:k]
        tokens.append(torch.tensor(best, device=row.device))
        weights.append(torch.softmax(row[tokens[-1]], 0))
    return torch.stack(weights), torch.stack(tokens)


def baseline(logits, k):
    ordered, tokens = torch.sort(logits, dim=-1, descending=True)
    return torch.softmax(ordered[:, :k], dim=-1), tokens[:, :k]


def optimized(logits, k):
    best, tokens = torch.topk(logits, k, dim=-1)
    return torch.softmax(best, dim=-1), tokens


def cost(rows, vocab, k):
    n = rows * vocab
    return dict(flops=n, baseline_flops=n * math.log2(vocab), bytes=4 * n, baseline_bytes=16 * n, optimized_bytes=4 * n)
