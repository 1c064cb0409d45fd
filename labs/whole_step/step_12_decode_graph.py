"""Capture a decode step as a CUDA graph and replay it for every token.

A step is some twenty-five kernels per layer, most of them shorter than their launch. The graph launches them at once.
It reads the whole cache and hides what is not written yet, because its shapes are fixed. Levers: `ch12:graph_replay`,
`ch14:compile_decode`.
Predicts: launches per token fall from 25 x layers to three.
No gain where: kernels are longer than their launches, as with many requests.
"""

import torch
from _decoding import empty_caches, next_token

from perfproof.engine.offline import llama_of

# 374 M parameters: a text takes longer to compute than to launch.
workload = dict(requests=4, prompt=256, answer=16, layers=4, hidden=2_048, ffn=8_192, vocab=32_000, dtype="float32")
workload_cpu = dict(requests=4, prompt=48, answer=8, layers=1, hidden=256, ffn=256, vocab=256, dtype="float64")
smoke = dict(requests=3, prompt=21, answer=5, layers=2, hidden=256, ffn=128, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # numbers of tokens
inputs = "step_08_decode_cached"
reference = "step_08_decode_cached"
tolerance = "step_08_decode_cached"
baseline = "step_11_decode_tokens_stay"
needs = dict(cuda=7.0)
tier = "idiomatic"
menu = ("inference", "launch-bound")


def record(step):
    """Run `step` once on a stream of its own, capture it, and return the replay."""
    beside = torch.cuda.Stream()
    beside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(beside):
        step()
    torch.cuda.current_stream().wait_stream(beside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def prepare_optimized(prompts, weights, answer):
    model, (rows, length) = llama_of(weights), prompts.shape
    room = length + answer
    caches = empty_caches(model, weights, rows, room)
    token, place = prompts[:, :1].clone(), torch.full((1,), length, device=prompts.device)

    def step():
        token.copy_(next_token(model, weights, caches, token, place, room, grouped=True))

    with torch.inference_mode():
        return model, caches, token, place, record(step)


def optimized(prepared, prompts, weights, answer):
    model, caches, token, place, replay = prepared
    length = prompts.shape[1]
    found = torch.empty(len(prompts), answer, dtype=prompts.dtype, device=prompts.device)
    with torch.inference_mode():
        places = torch.arange(length, device=prompts.device)
        token.copy_(next_token(model, weights, caches, prompts, places, length, grouped=True))
        found[:, 0] = token[:, 0]
        for at in range(1, answer):
            place.fill_(length + at - 1)
            replay()
            found[:, at] = token[:, 0]
    return found


def cost(requests, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, size = layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab, getattr(torch, dtype).itemsize
    return dict(
        flops=2 * weights * requests * (prompt + answer),
        bytes=size * answer * weights,
        samples=requests * answer,
    )
