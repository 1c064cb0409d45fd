"""Let the compiler fuse what lies between the matrix products of a decode step, instead of launching each operation.

The model is as small as a draft model for speculation: its weights are read in microseconds, and each of some twenty
operations per layer costs the host several microseconds. Compiled, norms, rotation, mask, softmax and activation become
few kernels. The loop over tokens stays in Python.
Predicts: launches fall from about 25 to 8 per layer.
No gain where: matrices are so large that their products take most of the time.
"""

import torch
from _decoding import State, decode, eager_step, weight_count

from perfproof.engine.offline import clear_prompts, plain_answers, random_llama

workload = dict(rows=4, prompt=16, answer=48, layers=2, hidden=128, ffn=256, vocab=256, dtype="float32")
workload_cpu = dict(rows=2, prompt=8, answer=24, layers=2, hidden=128, ffn=256, vocab=256, dtype="float64")
smoke = dict(rows=3, prompt=5, answer=7, layers=2, hidden=128, ffn=96, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # token ids
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
menu = ("inference", "launch-bound")


def constants(layers, hidden, ffn, vocab, dtype, answer):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype)), answer


def inputs(rows, prompt, answer, layers, hidden, ffn, vocab, dtype, weights):
    return clear_prompts(weights, rows, prompt, answer)


def reference(prompts, weights, answer):
    return plain_answers(weights, prompts, answer)


def prepare_baseline(prompts, weights, answer):
    state = State(weights, len(prompts), prompts.shape[1] + answer)
    return state, eager_step(state, state.longest)


def baseline(prepared, prompts, weights, answer):
    state, step = prepared
    with torch.inference_mode():
        return decode(lambda place: step(state.token, state.place, state.cache), state, prompts, answer)


def prepare_optimized(prompts, weights, answer):
    state = State(weights, len(prompts), prompts.shape[1] + answer)
    return state, torch.compile(eager_step(state, state.longest), dynamic=False)


def optimized(prepared, prompts, weights, answer):
    state, step = prepared
    with torch.inference_mode():
        return decode(lambda place: step(state.token, state.place, state.cache), state, prompts, answer)


def cost(rows, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, steps = weight_count(layers, hidden, ffn, vocab), prompt + answer - 1
    return dict(
        flops=2 * rows * steps * weights,
        bytes=steps * weights * getattr(torch, dtype).itemsize,
        samples=rows * answer,
    )
