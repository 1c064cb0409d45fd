"""Reuse the cached keys and values of a shared prompt prefix instead of recomputing them for every request.

Requests to one application begin with the same instructions. Their keys and values are the same, so a full block of
them is named by the hash of its tokens and of all before it, and later requests use it where it is. Both sides serve
one request first and then the others.
Predicts: prompt tokens computed fall from requests x (shared + own) to shared + requests x own.
No gain where: prompts differ in their first block, or decoding takes most of the time.
"""

import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import clear_prompts, finish, greedy_requests, llama_of, plain_answers, random_llama

BLOCK = 16
RATE, ISSUE_SECONDS = 16e9, 20e-6  # float64 on two CPU cores: fitted to the runs of kv_cache and prefix_cache

workload = dict(
    requests=16, shared=1_024, own=32, answer=8, layers=4, hidden=1_024, ffn=2_816, vocab=4_096, dtype="float32"
)
workload_cpu = dict(requests=4, shared=128, own=8, answer=4, layers=2, hidden=128, ffn=256, vocab=256, dtype="float64")
smoke = dict(requests=3, shared=35, own=6, answer=5, layers=1, hidden=128, ffn=72, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # token ids with one beginning
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
tour = True
menu = ("inference", "compute-bound")


def constants(layers, hidden, ffn, vocab, dtype, answer):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype)), answer


def inputs(requests, shared, own, answer, layers, hidden, ffn, vocab, dtype, weights):
    return clear_prompts(weights, requests, shared + own, answer, shared)


def reference(prompts, weights, answer):
    return plain_answers(weights, prompts, answer)


def engine_for(prompts, weights, answer, prefix_cache):
    blocks = len(prompts) * -(-(prompts.shape[1] + answer) // BLOCK)
    settings = Settings(blocks=blocks, block_size=BLOCK, most_running=len(prompts), prefix_cache=prefix_cache)
    return Engine(llama_of(weights), weights, settings)


def prepare_baseline(prompts, weights, answer):
    return engine_for(prompts, weights, answer, prefix_cache=False)


def prepare_optimized(prompts, weights, answer):
    return engine_for(prompts, weights, answer, prefix_cache=True)


def serve(engine, prompts, answer):
    """Requests have the salt of their call: nothing is found of an earlier one."""
    requests = greedy_requests(prompts.tolist(), [answer] * len(prompts))
    for group in (requests[:1], requests[1:]):
        for request in group:
            engine.add(request)
        finish(engine)
    return torch.tensor([request.answer for request in requests], device=prompts.device)


def baseline(engine, prompts, weights, answer):
    return serve(engine, prompts, answer)


def optimized(engine, prompts, weights, answer):
    return serve(engine, prompts, answer)


def cost(requests, shared, own, answer, layers, hidden, ffn, vocab, dtype):
    weights = layers * (2.5 * hidden**2 + 3 * hidden * ffn)
    found = (requests - 1) * (shared // BLOCK * BLOCK)
    size, steps = getattr(torch, dtype).itemsize, 2 * answer
    before = 2 * weights * requests * (shared + own + answer)
    after = 2 * weights * (requests * (shared + own + answer) - found)
    counted = dict(
        baseline_flops=before,
        optimized_flops=after,
        bytes=size * steps * (weights + hidden * vocab),
        samples=requests * answer,
    )
    if dtype != "float64":
        return counted
    fixed = issue_seconds(layers, steps)
    return counted | dict(predicted_optimized=(before / RATE + fixed) / (after / RATE + fixed))


def issue_seconds(layers, steps):
    """A step issues 15 operations and 66 per layer, for one token as for a whole text."""
    return steps * (15 + 66 * layers) * ISSUE_SECONDS
