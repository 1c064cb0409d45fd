"""Count only the blocks that are new to a worker, so that requests go to where their beginning is cached.

Step 1 spreads every group over both workers, and each computes the group's beginning. With the hash chain of its
blocks, a request looks cheaper to the worker that has them.
Predicts: beginnings are computed once instead of nearly twice.
No gain where: prompts share nothing.
"""

from perfproof.engine.engine import Settings
from perfproof.router.local.model import as_tensor
from perfproof.router.local.workers import LocalWorkers, Wanted

SETTINGS = Settings(blocks=512, token_budget=128, overlap=False)

workload = dict(groups=5, each=4, prefix=160, tail=96, answer=8)
workload_cpu = dict(groups=5, each=4, prefix=160, tail=96, answer=8)
smoke = dict(groups=2, each=3, prefix=35, tail=9, answer=3)
domain = dict(prompts="drawn", lengths="drawn", answers="drawn")  # numbers of tokens, and counts of them
inputs = "step_01_least_loaded"
reference = "step_01_least_loaded"
tolerance = "step_01_least_loaded"
baseline = "step_01_least_loaded"
tier = "idiomatic"
clock = "latency"
menu = ("inference", "prefill-bound")


def prepare_optimized(prompts, lengths, answers):
    return LocalWorkers(2, SETTINGS)


def optimized(workers, prompts, lengths, answers):
    rows = zip(prompts.tolist(), lengths.tolist(), answers.tolist(), strict=True)
    wanted = [Wanted(prompt[:length], answer) for prompt, length, answer in rows]
    return as_tensor([one.tokens for one in workers.answer(wanted, workers.router("kv-aware"))])


def cost(groups, each, prefix, tail, answer):
    """Tokens to compute. A group misses a worker only if all its requests went to the other one."""
    twice, rest = 1 - 2 * 0.5**each, groups * each * (tail + answer) / 2
    return dict(predicted_optimized=(groups * (1 + twice) * prefix + rest) / (groups * prefix + rest))
