"""Decode all requests in one step, instead of one request after the other.

A decode step reads all weights for one row per request. Rows of other requests use the same weights while they are on
the chip. Lever: `ch15:continuous_batching`, here with requests that begin and end together.
Predicts: the bytes of the weights fall by the number of requests.
No gain where: the batch is so large that arithmetic is the limit.
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
baseline = "step_08_decode_cached"
tier = "idiomatic"
menu = ("inference", "memory-bound")


def optimized(prompts, weights, answer):
    return decode(prompts, weights, answer, Levers(batched=True))


def cost(requests, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, size = layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab, getattr(torch, dtype).itemsize
    return dict(
        flops=2 * weights * requests * (prompt + answer),
        bytes=size * answer * weights,
        baseline_bytes=requests * size * answer * weights,
        samples=requests * answer,
    )
