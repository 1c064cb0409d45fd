"""Refuse a request at once if its first token would come too late, instead of computing a late answer.

A burst above capacity makes a queue. Everything behind a certain place comes too late, costs as much as an answer in
time, and is asked for again. The router knows each worker's queue in blocks and its measured rate; it accepts what
will be in time and refuses the rest before it costs anything. Both sides have the same rule: who got no answer within
the limit asks again when the burst is over, until all have one.
Predicts: with a burst of R times what fits, R (R + 1) / 2 against R rounds of work: (R + 1) / 2.
No gain where: everything fits, or the rate changes faster than it is measured.
"""

import time

import torch

from perfproof.engine.engine import Settings
from perfproof.router.local.model import VOCABULARY, as_tensor, plain_answers
from perfproof.router.local.workers import LocalWorkers, Wanted

SETTINGS = Settings(blocks=512, token_budget=64, overlap=False, prefix_cache=False)
MOST_ROUNDS = 200

workload = dict(requests=24, prompt=64, answer=1, fitting=8)
workload_cpu = dict(requests=24, prompt=64, answer=1, fitting=8)
smoke = dict(requests=7, prompt=19, answer=2, fitting=4)
tolerance = dict(rtol=0, atol=0)  # tokens, in double precision
domain = dict(prompts="drawn")  # numbers of tokens
constant = ("fitting",)
tier = "idiomatic"
clock = "latency"
menu = ("inference", "overload")


def inputs(requests, prompt, answer, fitting):
    return torch.randint(VOCABULARY, (requests, prompt), device="cpu"), answer, fitting


def reference(prompts, answer, fitting):
    return as_tensor(plain_answers(prompts.tolist(), [answer] * len(prompts)))


def measured(prompts, answer, fitting):
    """Two workers, the seconds of a request on a worker without a queue, and the limit: `fitting / 2` of them."""
    workers = LocalWorkers(2, SETTINGS)
    wanted = [Wanted(prompt, answer) for prompt in prompts.tolist()]
    started = time.perf_counter()
    for one in wanted:
        workers.answer([one, one], workers.router("round-robin"))
    seconds = (time.perf_counter() - started) / len(wanted)
    return workers, seconds, seconds * (fitting / 2 + 0.5)


def until_all_are_in_time(workers, limit, router, prompts, answer):
    answers, left = [[]] * len(prompts), list(range(len(prompts)))
    texts = prompts.tolist()
    for _ in range(MOST_ROUNDS):
        found = workers.answer_once([Wanted(texts[number], answer) for number in left], router())
        for number, one in zip(left, found, strict=True):
            answers[number] = one.tokens if one is not None and one.first <= limit else []
        left = [number for number in left if not answers[number]]
        if not left:
            return as_tensor(answers)
    raise RuntimeError(f"after {MOST_ROUNDS} rounds {len(left)} requests have no answer within {limit:.3g} s")


def prepare_baseline(prompts, answer, fitting):
    return measured(prompts, answer, fitting)


def baseline(prepared, prompts, answer, fitting):
    workers, _, limit = prepared
    return until_all_are_in_time(workers, limit, lambda: workers.router("least-loaded"), prompts, answer)


def prepare_optimized(prompts, answer, fitting):
    return measured(prompts, answer, fitting)


def optimized(prepared, prompts, answer, fitting):
    workers, seconds, limit = prepared

    def router():
        made = workers.router("least-loaded", limit)
        for worker in made.workers:  # what was measured: blocks of one request, and the seconds for them
            worker.started_blocks, worker.busy_seconds = -(-prompts.shape[1] // 16), seconds
        return made

    return until_all_are_in_time(workers, limit, router, prompts, answer)


def cost(requests, prompt, answer, fitting):
    rounds = requests / fitting
    return dict(predicted_optimized=(rounds + 1) / 2 if rounds > 1 else 1.0)
