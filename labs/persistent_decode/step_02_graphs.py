"""Replay the compiled step as one CUDA graph, instead of launching its kernels one by one.

A compiled step is still some twenty launches, and each kernel is shorter than its launch. The graph holds them all. The
host only copies a token and a place into fixed memory.
Predicts: launches per step fall from about 20 to 3.
No gain where: kernels run longer than their launches.
"""

import torch
from _decoding import State, captured, decode, eager_step, weight_count

workload = dict(rows=4, prompt=16, answer=48, layers=2, hidden=128, ffn=256, vocab=256, dtype="float32")
smoke = dict(rows=3, prompt=5, answer=7, layers=2, hidden=128, ffn=96, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # token ids
inputs = "step_01_compiled"
reference = "step_01_compiled"
tolerance = "step_01_compiled"
baseline = "step_01_compiled"
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("inference", "launch-bound")


def prepare_optimized(prompts, weights, answer):
    state = State(weights, len(prompts), prompts.shape[1] + answer)
    with torch.inference_mode():
        return state, captured(torch.compile(eager_step(state, state.longest), dynamic=False), state)


def optimized(prepared, prompts, weights, answer):
    state, replay = prepared
    with torch.inference_mode():
        return decode(replay, state, prompts, answer)


def cost(rows, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, steps = weight_count(layers, hidden, ffn, vocab), prompt + answer - 1
    return dict(
        flops=2 * rows * steps * weights,
        bytes=steps * weights * getattr(torch, dtype).itemsize,
        samples=rows * answer,
    )
