"""Send a request to the worker with the least to do, not to the next one in turn.

Turns give every worker the same number of requests. If some prompts are many times longer than others, one worker gets
more of the long ones by chance, and everybody behind them waits while the other worker is idle. The router knows how
many blocks it has given to each worker and which are done.
Predicts: the time of the worker with the most tokens; the mean over many draws is in `cost`.
No gain where: requests are alike, or so many that chance evens them out.
"""

import random

import torch

from perfproof.engine.engine import Settings
from perfproof.router.local.model import VOCABULARY, as_tensor, plain_answers
from perfproof.router.local.workers import LocalWorkers, Wanted

SETTINGS = Settings(blocks=512, token_budget=128, overlap=False, prefix_cache=False)
LONG = 0.25  # of the requests

workload = dict(requests=12, short=16, long=320, answer=2)
workload_cpu = dict(requests=12, short=16, long=320, answer=2)
smoke = dict(requests=5, short=3, long=50, answer=3)
tolerance = dict(rtol=0, atol=0)  # tokens, in double precision
domain = dict(prompts="drawn", lengths="drawn")  # numbers of tokens; lengths that prompts have
tier = "idiomatic"
clock = "latency"
menu = ("inference", "imbalance")


def inputs(requests, short, long, answer):
    lengths = torch.where(torch.rand(requests, device="cpu") < LONG, long, short)
    return torch.randint(VOCABULARY, (requests, long), device="cpu"), lengths, answer


def reference(prompts, lengths, answer):
    cut = [row[:length] for row, length in zip(prompts.tolist(), lengths.tolist(), strict=True)]
    return as_tensor(plain_answers(cut, [answer] * len(cut)))


def served(workers, policy, prompts, lengths, answer):
    cut = [row[:length] for row, length in zip(prompts.tolist(), lengths.tolist(), strict=True)]
    wanted = [Wanted(prompt, answer) for prompt in cut]
    return as_tensor([one.tokens for one in workers.answer(wanted, workers.router(policy))])


def prepare_baseline(prompts, lengths, answer):
    return LocalWorkers(2, SETTINGS)


def baseline(workers, prompts, lengths, answer):
    return served(workers, "round-robin", prompts, lengths, answer)


def prepare_optimized(prompts, lengths, answer):
    return LocalWorkers(2, SETTINGS)


def optimized(workers, prompts, lengths, answer):
    return served(workers, "least-loaded", prompts, lengths, answer)


def cost(requests, short, long, answer):
    """The longer of two workers' queues in tokens, in turn and by load, over a thousand draws."""
    drawn, in_turn, by_load = random.Random(0), 0, 0
    for _ in range(1000):
        lengths = [answer + (long if drawn.random() < LONG else short) for _ in range(requests)]
        queues = [0, 0]
        for length in lengths:
            queues[queues.index(min(queues))] += length
        in_turn += max(sum(lengths[::2]), sum(lengths[1::2]))
        by_load += max(queues)
    return dict(predicted_optimized=in_turn / by_load)
