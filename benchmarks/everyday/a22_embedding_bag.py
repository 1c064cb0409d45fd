"""Use embedding_bag instead of looking up all rows and averaging them afterwards.

The lookup writes a row per id and the mean reads them all back. embedding_bag adds rows up as it reads them: for a bag
of n ids it moves n rows and writes one, instead of moving 3n.
"""

import torch
from torch.nn import functional

workload = dict(bags=16_384, ids=32, vocab=100_000, width=128)
workload_cpu = dict(bags=512, ids=16, vocab=5_000, width=64)
smoke = dict(bags=5, ids=3, vocab=50, width=10)
constant = ("table",)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 means of up to 32 values near 1
tier = "idiomatic"


def inputs(bags, ids, vocab, width):
    return torch.randint(vocab, (bags, ids)), torch.randn(vocab, width)


def reference(ids, table):
    return torch.stack([table[bag].double().mean(0) for bag in ids])


def baseline(ids, table):
    return functional.embedding(ids, table).mean(dim=1)


def optimized(ids, table):
    return functional.embedding_bag(ids, table, mode="mean")


def cost(bags, ids, vocab, width):
    rows = 4 * bags * ids * width
    least = rows + 4 * bags * width + 8 * bags * ids
    return dict(flops=bags * ids * width, bytes=least, baseline_bytes=least + 2 * rows, optimized_bytes=least)
