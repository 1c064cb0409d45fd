"""Keep keys and values between the tokens of an answer, instead of running the whole text through the model again.

The loop that is written first calls the model on all tokens so far and uses the last row. With a cache each token goes
through the model once. Lever: `ch15:kv_cache`.
Predicts: tokens computed per answer fall from answer x length to length + answer.
No gain where: texts are so short that a step costs the same whatever it holds.
"""

import torch
from _decoding import Levers, decode

from perfproof.engine.offline import clear_prompts, llama_of, plain_answers, random_llama
from perfproof.engine.plain_decoder import decode_greedily

# 374 M parameters: a text takes longer to compute than to launch.
workload = dict(requests=4, prompt=256, answer=16, layers=4, hidden=2_048, ffn=8_192, vocab=32_000, dtype="float32")
workload_cpu = dict(requests=4, prompt=48, answer=8, layers=1, hidden=256, ffn=256, vocab=256, dtype="float64")
smoke = dict(requests=3, prompt=21, answer=5, layers=2, hidden=256, ffn=128, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # numbers of tokens
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "naive"
menu = ("inference", "compute-bound")


def constants(layers, hidden, ffn, vocab, dtype, answer):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype)), answer


def inputs(requests, prompt, answer, layers, hidden, ffn, vocab, dtype, weights):
    return clear_prompts(weights, requests, prompt, answer)


def reference(prompts, weights, answer):
    return plain_answers(weights, prompts, answer)


def prepare_baseline(prompts, weights, answer):
    return llama_of(weights)


def baseline(model, prompts, weights, answer):
    return torch.tensor(
        [decode_greedily(model, weights, prompt, answer) for prompt in prompts.tolist()], device=prompts.device
    )


def optimized(prompts, weights, answer):
    return decode(prompts, weights, answer, Levers())


def cost(requests, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, size = layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab, getattr(torch, dtype).itemsize
    return dict(
        flops=2 * weights * requests * (prompt + answer),
        bytes=requests * size * answer * weights,
        baseline_flops=2 * weights * requests * sum(prompt + step for step in range(answer)),
        samples=requests * answer,
    )
