"""Find the keys and values of the beginning that all requests share, instead of computing it for each.

The first request fills blocks of the cache, named by a hash of their tokens and of all before. The others begin with
the same tokens, so they use these blocks and compute only their own part.
Predicts: prompt tokens fall from requests x (shared + own) to shared + requests x own; decoding stays as it is.
No gain where: decoding takes most of the time, or prompts differ from their first token on.
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
baseline = "step_02_batched"
tier = "idiomatic"
menu = ("inference", "compute-bound")


def prepare_optimized(prompts, weights, answer):
    blocks = len(prompts) * -(-(prompts.shape[1] + answer) // BLOCK)
    settings = Settings(blocks, BLOCK, most_running=len(prompts), prefix_cache=True, overlap=False, graphs=False)
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
        baseline_flops=2 * weights * requests * (shared + own + answer),
        optimized_flops=2 * weights * (requests * (own + answer) + shared),
        bytes=weights * 2 * answer,
        samples=requests * answer,
    )
