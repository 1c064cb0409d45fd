"""Keep keys and values between steps, instead of running the whole text through the model for each token.

The loop that is written first: one request at a time, the model called on all tokens so far, the last row of logits
used and the others thrown away. The engine with one place and everything else off computes each token once.
Predicts: tokens computed per answer fall from answer x length to length + answer.
No gain where: texts are so short that a step costs the same whatever it holds.
"""

import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import clear_prompts, finish, greedy_requests, llama_of, plain_answers, random_llama
from perfproof.engine.plain_decoder import decode_greedily
from perfproof.engine.weights import dequantise_weights, quantise_weights

BLOCK, GROUP = 16, 64

workload = dict(
    requests=4, shared=512, own=32, answer=16, layers=4, hidden=1_024, ffn=2_816, vocab=4_096, dtype="float32"
)
workload_cpu = dict(requests=4, shared=48, own=8, answer=8, layers=1, hidden=128, ffn=256, vocab=256, dtype="float64")
smoke = dict(requests=3, shared=21, own=6, answer=5, layers=1, hidden=128, ffn=128, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # token ids with one beginning
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "naive"
menu = ("inference", "compute-bound")


def constants(layers, hidden, ffn, vocab, dtype, answer):
    """Numbers that fit 8 bits with scales, so that the last step can store them so and change nothing."""
    weights = random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype))
    return dequantise_weights(quantise_weights(weights, 8, GROUP)), answer


def inputs(requests, shared, own, answer, layers, hidden, ffn, vocab, dtype, weights):
    return clear_prompts(weights, requests, shared + own, answer, shared)


def reference(prompts, weights, answer):
    return plain_answers(weights, prompts, answer)


def prepare_baseline(prompts, weights, answer):
    return llama_of(weights)


def baseline(model, prompts, weights, answer):
    return torch.tensor(
        [decode_greedily(model, weights, prompt, answer) for prompt in prompts.tolist()], device=prompts.device
    )


def prepare_optimized(prompts, weights, answer):
    blocks = len(prompts) * -(-(prompts.shape[1] + answer) // BLOCK)
    settings = Settings(blocks, BLOCK, most_running=1, prefix_cache=False, overlap=False, graphs=False)
    return Engine(llama_of(weights), weights, settings)


def optimized(engine, prompts, weights, answer):
    """The first request comes alone, as the first user of an application does; then all others at once."""
    requests = greedy_requests(prompts.tolist(), [answer] * len(prompts))
    for group in (requests[:1], requests[1:]):
        for request in group:
            engine.add(request)
        finish(engine)
    return torch.tensor([request.answer for request in requests], device=prompts.device)


def cost(requests, shared, own, answer, layers, hidden, ffn, vocab, dtype):
    weights = layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab
    length = shared + own
    return dict(
        baseline_flops=2 * weights * requests * sum(length + step for step in range(answer)),
        optimized_flops=2 * weights * requests * (length + answer),
        bytes=getattr(torch, dtype).itemsize * weights * requests * answer,
        samples=requests * answer,
    )
