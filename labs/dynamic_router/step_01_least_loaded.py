"""Place each request on the worker with the fewest blocks, instead of taking turns.

The traffic is mixed: groups of requests share a beginning, and the rest of a prompt and its answer have any length. In
turn, workers get equal counts and unequal work. By load, the router adds up the blocks that it gave to each worker.
Predicts: a few per cent: lengths differ by a factor of two here, not of twenty.
No gain where: requests are alike.
"""

import torch

from perfproof.engine.engine import Settings
from perfproof.router.local.model import VOCABULARY, as_tensor, plain_answers
from perfproof.router.local.workers import LocalWorkers, Wanted

SETTINGS = Settings(blocks=512, token_budget=128, overlap=False)

workload = dict(groups=5, each=4, prefix=160, tail=96, answer=8)
workload_cpu = dict(groups=5, each=4, prefix=160, tail=96, answer=8)
smoke = dict(groups=2, each=3, prefix=35, tail=9, answer=3)
tolerance = dict(rtol=0, atol=0)  # tokens, in double precision
domain = dict(prompts="drawn", lengths="drawn", answers="drawn")  # numbers of tokens, and counts of them
tier = "idiomatic"
clock = "latency"
menu = ("inference", "imbalance")


def inputs(groups, each, prefix, tail, answer):
    count = groups * each
    beginnings = torch.randint(VOCABULARY, (groups, prefix), device="cpu").repeat(each, 1)
    ends = torch.randint(VOCABULARY, (count, tail), device="cpu")
    prompts = torch.cat([beginnings, ends], 1)[torch.randperm(count, device="cpu")]
    lengths = prefix + torch.randint(1, tail + 1, (count,), device="cpu")
    return prompts, lengths, torch.randint(1, answer + 1, (count,), device="cpu")


def requests(prompts, lengths, answers):
    rows = zip(prompts.tolist(), lengths.tolist(), answers.tolist(), strict=True)
    return [Wanted(prompt[:length], answer) for prompt, length, answer in rows]


def reference(prompts, lengths, answers):
    cut = [prompt[:length] for prompt, length in zip(prompts.tolist(), lengths.tolist(), strict=True)]
    return as_tensor(plain_answers(cut, answers.tolist()))


def prepare_baseline(prompts, lengths, answers):
    return LocalWorkers(2, SETTINGS)


def baseline(workers, prompts, lengths, answers):
    found = workers.answer(requests(prompts, lengths, answers), workers.router("round-robin"))
    return as_tensor([one.tokens for one in found])


def prepare_optimized(prompts, lengths, answers):
    return LocalWorkers(2, SETTINGS)


def optimized(workers, prompts, lengths, answers):
    found = workers.answer(requests(prompts, lengths, answers), workers.router("least-loaded"))
    return as_tensor([one.tokens for one in found])


def cost(groups, each, prefix, tail, answer):
    """Half the spread of a sum of tails, beside the tokens of a worker."""
    half = groups * each / 2
    spread = (half / 6) ** 0.5 * tail / 2
    return dict(predicted_optimized=1 + spread / (half * (prefix + tail / 2)))
