"""Multiply the queries that share a key with it in one product, instead of copying the key for each of them.

Four query heads share one key head here. The copy writes keys and values four times and reads them again, at every
step. Lever: `ch18:gqa_packing`.
Predicts: traffic of the cache falls from nine times its size to once.
No gain where: texts are short, so that the cache is small beside the weights.
"""

import torch
from _decoding import Levers, decode

# 374 M parameters: a text takes longer to compute than to launch.
workload = dict(requests=4, prompt=256, answer=16, layers=4, hidden=2_048, ffn=8_192, vocab=32_000, dtype="float32")
workload_cpu = dict(requests=4, prompt=48, answer=8, layers=1, hidden=256, ffn=256, vocab=256, dtype="float64")
smoke = dict(requests=3, prompt=21, answer=5, layers=2, hidden=256, ffn=128, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # numbers of tokens
inputs = "step_08_decode_cached"
reference = "step_08_decode_cached"
tolerance = "step_08_decode_cached"
baseline = "step_09_decode_batched"
tier = "idiomatic"
menu = ("inference", "memory-bound")


def optimized(prompts, weights, answer):
    return decode(prompts, weights, answer, Levers(batched=True, grouped=True))


def cost(requests, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, size = layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab, getattr(torch, dtype).itemsize
    return dict(
        flops=2 * weights * requests * (prompt + answer),
        bytes=size * answer * weights,
        samples=requests * answer,
    )
