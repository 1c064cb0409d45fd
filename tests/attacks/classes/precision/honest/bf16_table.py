"""Keep an embedding table in bfloat16.

Honest: the format is declared, and it is the one that is used: values are rounded once, by at most 2**-8 of their size.
"""

import torch

workload = workload_cpu = dict(words=4_000, width=128, tokens=256)
smoke = dict(words=33, width=7, tokens=5)
constant = ("table",)
tolerance = dict(rtol=4e-3, atol=1e-6)  # one rounding to bfloat16: at most 2**-8 of the value
lowers_precision = "bf16"
tier = "idiomatic"


def inputs(words, width, tokens):
    return torch.randn(words, width), torch.randint(words, (tokens,))


def reference(table, tokens):
    return torch.stack([table[token].double() for token in tokens.tolist()])


def baseline(table, tokens):
    return table[tokens]


def prepare_optimized(table, tokens):
    return table.bfloat16()


def optimized(half, table, tokens):
    return half[tokens].float()


def cost(words, width, tokens):
    return dict(bytes=6 * tokens * width, baseline_bytes=8 * tokens * width)
