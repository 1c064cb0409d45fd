"""Let one worker compute all prompts and hand their blocks to the other, which computes all answers.

Every beginning is in one cache now, so none is computed twice, and no answer waits for a prompt. But this traffic is
mostly prompts: the first worker has nearly all of the work, and the second waits for it.
Predicts: slower than step 2 by nearly the number of workers; pools pay if prompts and answers take equally long.
No gain where: as here, one of the two pools has most of the work.
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
baseline = "step_02_kv_aware"
tier = "idiomatic"
clock = "latency"
menu = ("inference", "interference")


def prepare_optimized(prompts, lengths, answers):
    return LocalWorkers(2, SETTINGS)


def optimized(workers, prompts, lengths, answers):
    rows = zip(prompts.tolist(), lengths.tolist(), answers.tolist(), strict=True)
    wanted = [Wanted(prompt[:length], answer) for prompt, length, answer in rows]
    return as_tensor([one.tokens for one in workers.answer_in_pools(wanted)])


def cost(groups, each, prefix, tail, answer):
    """Tokens of both workers of step 2, each half of all, against those of the first worker here."""
    prompts, answers = groups * prefix + groups * each * tail / 2, groups * each * answer / 2
    return dict(predicted_optimized=(prompts + answers) / 2 / max(prompts, answers))
