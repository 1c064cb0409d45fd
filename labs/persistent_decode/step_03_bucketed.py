"""Capture one graph per length of the context, so that early steps do not read a cache that is still empty.

A graph has fixed shapes: that of the longest context reads the whole cache at every step and masks what is not written.
With a graph per quarter of the longest context, a step reads at most a quarter too much.
Predicts: bytes of the cache per step fall to about 5/8 on average.
No gain where: the cache is small beside the weights, as at this size, or the answer is short.
"""

import torch
from _decoding import State, captured, decode, eager_step, weight_count

BUCKETS = 4

workload = dict(rows=4, prompt=16, answer=48, layers=2, hidden=128, ffn=256, vocab=256, dtype="float32")
smoke = dict(rows=3, prompt=5, answer=7, layers=2, hidden=128, ffn=96, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # token ids
inputs = "step_01_compiled"
reference = "step_01_compiled"
tolerance = "step_01_compiled"
baseline = "step_02_graphs"
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("inference", "memory-bound")


def prepare_optimized(prompts, weights, answer):
    state = State(weights, len(prompts), prompts.shape[1] + answer)
    size = -(-state.longest // BUCKETS)
    ends = [min(size * number, state.longest) for number in range(1, BUCKETS + 1)]
    with torch.inference_mode():
        steps = [torch.compile(eager_step(state, end), dynamic=False) for end in ends]
        return state, size, [captured(step, state) for step in steps]


def optimized(prepared, prompts, weights, answer):
    state, size, graphs = prepared
    with torch.inference_mode():
        return decode(lambda place: graphs[place // size](place), state, prompts, answer)


def cost(rows, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, steps = weight_count(layers, hidden, ffn, vocab), prompt + answer - 1
    return dict(
        flops=2 * rows * steps * weights,
        bytes=steps * weights * getattr(torch, dtype).itemsize,
        samples=rows * answer,
    )
