"""Leave the tokens on the device and read them at the end, instead of after each step.

The host reads each token to see whether the text has ended. Until then it launches nothing, and the device waits for
the launches of the next step. A program would look every few tokens. Lever: `ch18:eos_polling`.
Predicts: the count is the same on both sides; what is gained is the wait, once per token.
No gain where: a CPU, which has no queue, or steps that are much longer than their launches.
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
baseline = "step_10_decode_grouped"
tier = "idiomatic"
menu = ("inference", "host-bound")


def optimized(prompts, weights, answer):
    return decode(prompts, weights, answer, Levers(batched=True, grouped=True, tokens_stay=True))


def cost(requests, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, size = layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab, getattr(torch, dtype).itemsize
    return dict(
        flops=2 * weights * requests * (prompt + answer),
        bytes=size * answer * weights,
        samples=requests * answer,
    )
