"""Decode all requests in one step, instead of one request after the other.

A decode step reads all weights, whatever the number of rows. With a place for every request, one pass over the weights
gives a token to each. Only the number of places changes.
Predicts: passes over the weights fall from requests x answer to two answers, of the first and of all others.
No gain where: one request is there, or the batch is so large that arithmetic is the limit.
"""

import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import finish, greedy_requests, llama_of

BLOCK = 16

workload = dict(
    requests=4, shared=512, own=32, answer=16, layers=4, hidden=1_024, ffn=2_816, vocab=4_096, dtype="float32"
)
workload_cpu = dict(requests=4, shared=48, own=8, answer=8, layers=1, hidden=128, ffn=256, vocab=256, dtype="float64")
smoke = dict(requests=3, shared=21, own=6, answer=5, layers=1, hidden=128, ffn=128, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # token ids with one beginning
inputs = "step_01_cached"
reference = "step_01_cached"
tolerance = "step_01_cached"
baseline = "step_01_cached"
tier = "idiomatic"
menu = ("inference", "memory-bound")


def prepare_optimized(prompts, weights, answer):
    blocks = len(prompts) * -(-(prompts.shape[1] + answer) // BLOCK)
    settings = Settings(blocks, BLOCK, most_running=len(prompts), prefix_cache=False, overlap=False, graphs=False)
    return Engine(llama_of(weights), weights, settings)


def optimized(engine, prompts, weights, answer):
    requests = greedy_requests(prompts.tolist(), [answer] * len(prompts))
    for group in (requests[:1], requests[1:]):
        for request in group:
            engine.add(request)
        finish(engine)
    return torch.tensor([request.answer for request in requests], device=prompts.device)


def cost(requests, shared, own, answer, layers, hidden, ffn, vocab, dtype):
    """Bytes of weights per step: the first request alone, then the others together."""
    weights = getattr(torch, dtype).itemsize * (layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab)
    return dict(
        baseline_bytes=weights * requests * answer, optimized_bytes=weights * 2 * answer, samples=requests * answer
    )
