"""Store a large lookup table in fp16: half the memory, and half the bytes to fetch at random.

Rows are converted to float32 after the gather, which in eager mode is a pass of its own: counted in bytes that eats up
what the narrow rows save, and what is left is the smaller table, which fits a cache of half the size. The table has 11
significant bits instead of 24, which is declared.
"""

import torch

workload = dict(lookups=1_048_576, vocab=1_000_000, width=128)
workload_cpu = dict(lookups=16_384, vocab=50_000, width=64)
smoke = dict(lookups=9, vocab=40, width=7)
constant = ("table",)
lowers_precision = "fp16"
tolerance = dict(rtol=2**-10, atol=1e-6)  # fp16 rounds at 2**-11; below 6e-5 its spacing is 6e-8
tier = "idiomatic"


def inputs(lookups, vocab, width):
    return torch.randint(vocab, (lookups,)), torch.randn(vocab, width)


def reference(ids, table):
    return torch.stack([table[i] for i in ids.tolist()]).double()


def baseline(ids, table):
    return table[ids]


def prepare_optimized(ids, table):
    return table.half()


def optimized(half, ids, table):
    return half[ids].float()


def cost(lookups, vocab, width):
    n = lookups * width
    least = 8 * n + 8 * lookups
    return dict(flops=0, bytes=6 * n + 8 * lookups, baseline_bytes=least, optimized_bytes=10 * n + 8 * lookups)
