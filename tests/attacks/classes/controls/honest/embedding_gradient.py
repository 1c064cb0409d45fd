"""Add up the gradient of an embedding with `index_add_` instead of a product with one-hot rows.

Honest: the output is mostly zero, because most words of a vocabulary are not in a batch. The rest is checked to a few
float32 roundings.
"""

import torch
import torch.nn.functional as F

workload = workload_cpu = dict(tokens=64, vocabulary=2_000, width=32)
smoke = dict(tokens=9, vocabulary=101, width=5)
constant = ("vocabulary",)
tolerance = dict(rtol=1e-6, atol=1e-6)  # sums of a few values near 1, rounded at 2**-24
tier = "naive"


def inputs(tokens, vocabulary, width):
    return torch.randint(vocabulary, (tokens,)), torch.randn(tokens, width), vocabulary


def reference(words, gradient, vocabulary):
    table = torch.zeros(vocabulary, gradient.shape[1], dtype=torch.float64)
    for word, row in zip(words.tolist(), gradient.double(), strict=True):
        table[word] += row
    return table


def baseline(words, gradient, vocabulary):
    return F.one_hot(words, vocabulary).to(gradient.dtype).T @ gradient


def optimized(words, gradient, vocabulary):
    return gradient.new_zeros(vocabulary, gradient.shape[1]).index_add_(0, words, gradient)


def cost(tokens, vocabulary, width):
    table = 4 * vocabulary * width
    return dict(bytes=table, baseline_bytes=table + 20 * tokens * vocabulary)
