"""Keep the keys and values of earlier tokens, and compute one new token per step instead of the whole text again.

A decoder needs the keys and values of all earlier tokens for the next one. They do not change, so a cache of them
leaves one token to compute per step. Both sides run the engine's own steps; only the first token of a step differs.
Predicts: tokens computed fall from the sum of all lengths to prompt plus answer; on a CPU, operations issued stay.
No gain where: a step is so small that it costs the same for one token as for the whole text.
"""

import torch

from perfproof.engine.cache import Cache
from perfproof.engine.offline import clear_prompts, greedy_requests, llama_of, plain_answers, random_llama
from perfproof.engine.runner import Runner
from perfproof.engine.scheduler import Piece

BLOCK = 16
RATE, ISSUE_SECONDS = 16e9, 20e-6  # float64 on two CPU cores: fitted to the runs of kv_cache and prefix_cache

workload = dict(requests=8, prompt=256, answer=32, layers=4, hidden=1_024, ffn=2_816, vocab=4_096, dtype="float32")
workload_cpu = dict(requests=2, prompt=64, answer=8, layers=2, hidden=128, ffn=256, vocab=256, dtype="float64")
smoke = dict(requests=3, prompt=13, answer=7, layers=1, hidden=128, ffn=72, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # token ids
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "naive"
tour = True
menu = ("inference", "compute-bound")


def constants(layers, hidden, ffn, vocab, dtype, answer):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype)), answer


def inputs(requests, prompt, answer, layers, hidden, ffn, vocab, dtype, weights):
    return clear_prompts(weights, requests, prompt, answer)


def reference(prompts, weights, answer):
    return plain_answers(weights, prompts, answer)


def runner_for(prompts, weights, answer):
    longest = prompts.shape[1] + answer
    cache = Cache(llama_of(weights), len(prompts) * -(-longest // BLOCK), BLOCK, weights.dtype, weights.device)
    return Runner(llama_of(weights), weights, cache, longest, len(prompts))


def prepare_baseline(prompts, weights, answer):
    return runner_for(prompts, weights, answer)


def prepare_optimized(prompts, weights, answer):
    return runner_for(prompts, weights, answer)


def decode(runner, prompts, answer, first):
    """`first` says where a step of a request begins, given how many of its tokens have keys in the cache."""
    requests = greedy_requests(prompts.tolist(), [answer] * len(prompts))
    for slot, request in enumerate(requests):
        request.slot, request.blocks = slot, list(range(slot * runner.width, (slot + 1) * runner.width))
    for _ in range(answer):
        pieces = []
        for request in requests:
            start = first(request.computed)
            pieces.append(Piece(request, start, len(request.tokens) - start, [], samples=True))
            request.computed = len(request.tokens)
        launch = runner.launch(pieces)
        for piece, new in zip(launch.pieces, launch.read(), strict=True):
            piece.request.tokens += new
    return torch.tensor([request.answer for request in requests], device=prompts.device)


def baseline(runner, prompts, weights, answer):
    return decode(runner, prompts, answer, first=lambda computed: 0)


def optimized(runner, prompts, weights, answer):
    return decode(runner, prompts, answer, first=lambda computed: computed)


def cost(requests, prompt, answer, layers, hidden, ffn, vocab, dtype):
    """Weights that a token is multiplied with; attention is small beside them at these lengths."""
    weights, head = layers * (2.5 * hidden**2 + 3 * hidden * ffn), hidden * vocab
    again = sum(prompt + step for step in range(answer))
    size = getattr(torch, dtype).itemsize
    before = 2 * requests * (again * weights + answer * head)
    after = 2 * requests * ((prompt + answer - 1) * weights + answer * head)
    counted = dict(
        baseline_flops=before,
        optimized_flops=after,
        bytes=size * answer * (weights + head),
        samples=requests * answer,
    )
    if dtype != "float64":
        return counted
    fixed = issue_seconds(layers, answer)
    return counted | dict(predicted_optimized=(before / RATE + fixed) / (after / RATE + fixed))


def issue_seconds(layers, steps):
    """A step issues 15 operations and 66 per layer, for one token as for a whole text."""
    return steps * (15 + 66 * layers) * ISSUE_SECONDS
