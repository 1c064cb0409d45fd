"""Send a request to the worker that has its beginning in the cache, not to the next one in turn.

Requests that share a system prompt or a document share the keys and values of it. In turn, every worker gets some
request of every group, and computes each group's prefix itself. The router keeps the hash chain of the blocks that it
sent to each worker, and adds the blocks that are new there to the worker's load: a request goes to its prefix unless
that worker has too much to do.
Predicts: prefix tokens are computed once instead of about twice on two workers.
No gain where: prompts share nothing, or one worker's cache is too small for its groups.
"""

import torch

from perfproof.engine.engine import Settings
from perfproof.router.local.model import VOCABULARY, as_tensor, plain_answers
from perfproof.router.local.workers import LocalWorkers, Wanted

SETTINGS = Settings(blocks=512, token_budget=128, overlap=False)

workload = dict(groups=6, each=4, prefix=192, tail=17, answer=2)
workload_cpu = dict(groups=6, each=4, prefix=192, tail=17, answer=2)
smoke = dict(groups=3, each=3, prefix=37, tail=5, answer=3)
tolerance = dict(rtol=0, atol=0)  # tokens, in double precision
domain = dict(prompts="drawn")  # numbers of tokens
tier = "idiomatic"
clock = "latency"
menu = ("inference", "prefill-bound")


def inputs(groups, each, prefix, tail, answer):
    beginnings = torch.randint(VOCABULARY, (groups, prefix), device="cpu").repeat(each, 1)
    ends = torch.randint(VOCABULARY, (groups * each, tail), device="cpu")
    arrived = torch.randperm(groups * each, device="cpu")
    return torch.cat([beginnings, ends], 1)[arrived], answer


def reference(prompts, answer):
    return as_tensor(plain_answers(prompts.tolist(), [answer] * len(prompts)))


def served(workers, policy, prompts, answer):
    wanted = [Wanted(prompt, answer) for prompt in prompts.tolist()]
    return as_tensor([one.tokens for one in workers.answer(wanted, workers.router(policy))])


def prepare_baseline(prompts, answer):
    return LocalWorkers(2, SETTINGS)


def baseline(workers, prompts, answer):
    return served(workers, "round-robin", prompts, answer)


def prepare_optimized(prompts, answer):
    return LocalWorkers(2, SETTINGS)


def optimized(workers, prompts, answer):
    return served(workers, "kv-aware", prompts, answer)


def cost(groups, each, prefix, tail, answer):
    """Tokens to compute. In turn, a group misses a worker only if all its requests went to the other one."""
    twice = 1 - 2 * 0.5**each
    rest = groups * each * (tail + answer)
    return dict(predicted_optimized=(groups * (1 + twice) * prefix + rest) / (groups * prefix + rest))
