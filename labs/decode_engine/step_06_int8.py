"""Store the weights in 8 bits with a scale per 64 inputs, and convert them in registers.

A decode step is now bound by the bytes of its weights. These weights fit 8 bits without a loss, so the tokens must
stay the same: what rounding costs a real model is another question.
Predicts: bytes per step fall by up to 3.8x from float32.
No gain where: a CPU, or more than four rows: the engine then converts whole matrices at every step.
"""

import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import finish, greedy_requests, llama_of
from perfproof.engine.weights import quantise_weights

BLOCK, GROUP = 16, 64

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
baseline = "step_05_graphs"
tier = "idiomatic"
menu = ("inference", "memory-bound")


def prepare_optimized(prompts, weights, answer):
    blocks = len(prompts) * -(-(prompts.shape[1] + answer) // BLOCK)
    settings = Settings(blocks, BLOCK, most_running=len(prompts), prefix_cache=True, overlap=True, graphs=True)
    return Engine(llama_of(weights), quantise_weights(weights, 8, GROUP), settings)


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
        baseline_bytes=weights * 2 * answer,
        optimized_bytes=weights * 2 * answer * (1 / getattr(torch, dtype).itemsize + 1 / GROUP),
        samples=requests * answer,
    )
