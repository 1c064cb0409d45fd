"""Capture a decode step once per bucket of batch sizes, because one graph fits only one size.

A step of a small model is dozens of kernels of a few microseconds, and launching them one by one takes longer than they
run. A CUDA graph launches all of them at once, but its shapes are fixed and the batch changes as requests end. Graphs
for 1, 4 and every multiple of 8 rows serve any batch with a few padding rows. `optimized_padded` keeps only the largest
graph and pads every step to it.
Predicts: launches per step fall from all kernels to one; padding to the largest wastes rows, which are cheap.
No gain where: kernels run longer than their launches, as those of large models do.
"""

import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import answers, clear_prompts, llama_of, plain_answers, random_llama

BLOCK, KERNELS, LAUNCH, NODE = 16, 7, 8e-6, 1.6e-6  # kernels per layer; seconds of a launch, and of a graph's node

workload = dict(requests=32, prompt=16, answer=64, layers=8, hidden=512, ffn=1_536, vocab=4_096, dtype="float32")
smoke = dict(requests=5, prompt=7, answer=6, layers=1, hidden=128, ffn=72, vocab=61, dtype="float64")
constant = ("weights",)
domain = dict(prompts="drawn", lengths="drawn")  # token ids, and tokens of an answer
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("inference", "launch-bound")


def constants(layers, hidden, ffn, vocab, dtype):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype))


def inputs(requests, prompt, answer, layers, hidden, ffn, vocab, dtype, weights):
    """Answers of all lengths: the batch shrinks from all requests to one."""
    lengths = torch.randint(1, answer + 1, (requests,))
    lengths[torch.randint(requests, ())] = answer
    return clear_prompts(weights, requests, prompt, answer), lengths


def reference(prompts, lengths, weights):
    found = plain_answers(weights, prompts, int(lengths.max()))
    return found.masked_fill(torch.arange(found.shape[1], device=found.device) >= lengths[:, None], -1)


def engine_for(prompts, lengths, weights, graphs):
    blocks = len(prompts) * -(-(prompts.shape[1] + int(lengths.max())) // BLOCK)
    settings = Settings(blocks=blocks, block_size=BLOCK, most_running=len(prompts), prefix_cache=False, graphs=graphs)
    return Engine(llama_of(weights), weights, settings)


def prepare_baseline(prompts, lengths, weights):
    return engine_for(prompts, lengths, weights, graphs=False)


def prepare_optimized(prompts, lengths, weights):
    return engine_for(prompts, lengths, weights, graphs=True)


def prepare_optimized_padded(prompts, lengths, weights):
    engine = engine_for(prompts, lengths, weights, graphs=True)
    graphs = engine.runner.graphs
    engine.runner.graphs = {rows: graphs[rows] for rows in sorted(graphs)[-1:]}
    return engine


def serve(engine, prompts, lengths):
    found = answers(engine, prompts.tolist(), lengths.tolist())
    width = max(map(len, found))
    return torch.tensor([one + [-1] * (width - len(one)) for one in found], device=prompts.device)


def baseline(engine, prompts, lengths, weights):
    return serve(engine, prompts, lengths)


def optimized(engine, prompts, lengths, weights):
    return serve(engine, prompts, lengths)


def optimized_padded(engine, prompts, lengths, weights):
    return serve(engine, prompts, lengths)


def cost(requests, prompt, answer, layers, hidden, ffn, vocab, dtype):
    kernels = KERNELS * layers + 12  # with embedding, head, choice of the token and what the host sends
    ratio = kernels * LAUNCH / (kernels * NODE + 6 * LAUNCH)
    return dict(predicted_optimized=ratio, predicted_optimized_padded=ratio, samples=requests * answer // 2)
