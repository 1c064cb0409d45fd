"""Launch the next step before the tokens of this one are read, so that the host plans while the device computes.

Planning, sending and reading take part of a millisecond per step, and the device waits for them. With overlap the next
step takes its tokens from the device's memory, and the host reads them later.
Predicts: host plus device time becomes the longer of the two.
No gain where: the host is the device (a CPU); one step too many per answer makes it a little slower there.
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
baseline = "step_03_prefix"
tier = "idiomatic"
menu = ("inference", "host-bound")


def prepare_optimized(prompts, weights, answer):
    blocks = len(prompts) * -(-(prompts.shape[1] + answer) // BLOCK)
    settings = Settings(blocks, BLOCK, most_running=len(prompts), prefix_cache=True, overlap=True, graphs=False)
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
    return dict(bytes=weights * 2 * answer, samples=requests * answer)
