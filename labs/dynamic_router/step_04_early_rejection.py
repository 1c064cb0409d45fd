"""Refuse what would come too late, with the same placement as before.

The burst is now judged: the first token must come within a limit that about half of the requests can meet. Who comes
too late asks again when the burst is over, until all were in time. Step 2's router computes late answers in full; with
a limit, it refuses them at once. This step has a baseline of its own, because a limit changes what is asked.
Predicts: with a burst of R times what fits, (R + 1) / 2.
No gain where: everything fits.
"""

import time

import torch

from perfproof.engine.engine import Settings
from perfproof.router.local.model import VOCABULARY, as_tensor, plain_answers
from perfproof.router.local.workers import LocalWorkers, Wanted

SETTINGS = Settings(blocks=512, token_budget=128, overlap=False)
BURSTS = 2  # times what fits
MOST_ROUNDS = 200

workload = dict(groups=4, each=4, prefix=96, tail=32, answer=2)
workload_cpu = dict(groups=4, each=4, prefix=96, tail=32, answer=2)
smoke = dict(groups=2, each=6, prefix=35, tail=40, answer=2)  # one request alone needs 0.4 of the limit
tolerance = dict(rtol=0, atol=0)  # tokens, in double precision
domain = dict(prompts="drawn")  # numbers of tokens
tier = "idiomatic"
clock = "latency"
menu = ("inference", "overload")


def inputs(groups, each, prefix, tail, answer):
    beginnings = torch.randint(VOCABULARY, (groups, prefix), device="cpu").repeat(each, 1)
    ends = torch.randint(VOCABULARY, (groups * each, tail), device="cpu")
    return torch.cat([beginnings, ends], 1)[torch.randperm(groups * each, device="cpu")], answer


def reference(prompts, answer):
    return as_tensor(plain_answers(prompts.tolist(), [answer] * len(prompts)))


def measured(prompts, answer):
    """Two workers, blocks per second of one of them in a burst as this one, and the limit for the first token."""
    workers, wanted = LocalWorkers(2, SETTINGS), [Wanted(prompt, answer) for prompt in prompts.tolist()]
    workers.answer(wanted, workers.router("kv-aware"))  # the first call is slower
    router, started = workers.router("kv-aware"), time.perf_counter()
    workers.answer(wanted, router)
    seconds = time.perf_counter() - started
    blocks = sum(worker.started_blocks for worker in router.workers)
    return workers, blocks / len(router.workers) / seconds, seconds / BURSTS


def until_all_are_in_time(workers, limit, router, prompts, answer):
    answers, left, texts = [[]] * len(prompts), list(range(len(prompts))), prompts.tolist()
    for _ in range(MOST_ROUNDS):
        found = workers.answer_once([Wanted(texts[number], answer) for number in left], router())
        for number, one in zip(left, found, strict=True):
            answers[number] = one.tokens if one is not None and one.first <= limit else []
        left = [number for number in left if not answers[number]]
        if not left:
            return as_tensor(answers)
    raise RuntimeError(f"after {MOST_ROUNDS} rounds {len(left)} requests have no answer within {limit:.3g} s")


def prepare_baseline(prompts, answer):
    return measured(prompts, answer)


def baseline(prepared, prompts, answer):
    workers, _, limit = prepared
    return until_all_are_in_time(workers, limit, lambda: workers.router("kv-aware"), prompts, answer)


def prepare_optimized(prompts, answer):
    return measured(prompts, answer)


def optimized(prepared, prompts, answer):
    workers, rate, limit = prepared

    def router():
        made = workers.router("kv-aware", limit)
        for worker in made.workers:
            worker.started_blocks, worker.busy_seconds = rate, 1.0
        return made

    return until_all_are_in_time(workers, limit, router, prompts, answer)


def cost(groups, each, prefix, tail, answer):
    return dict(predicted_optimized=(BURSTS + 1) / 2)
