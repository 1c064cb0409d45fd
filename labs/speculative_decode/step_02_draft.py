"""Let a smaller model guess, instead of the text: it has a guess at every place, and each costs a step of its own.

The draft is the model's own first layer with its output head: no second training, half of the layers. It guesses at
every place, also where the text has nothing to copy. Its steps come one after the other before each step of the model.
Predicts: more guesses are made; they pay only if a draft's step is far cheaper than the model's.
No gain where: models are so small that every step costs the same: a draft of half the layers then costs half of what
it could save. The best drafts are ten times smaller than their models.
"""

from dataclasses import replace

import torch

from perfproof.engine.cache import Cache
from perfproof.engine.demo import demo_architecture
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import answers
from perfproof.engine.runner import Runner
from perfproof.engine.speculation import DraftSpeculator

BLOCK = 16

workload = dict(requests=1, prompt=192, answer=96, guesses=4, steps=300, dtype="float32")
workload_cpu = dict(requests=1, prompt=128, answer=48, guesses=4, steps=300, dtype="float64")
smoke = dict(requests=2, prompt=67, answer=19, guesses=3, steps=20, dtype="float64")
sweep = dict(guesses=[1, 2, 4, 8], requests=[1, 4, 16])
constant = ("weights", "answer", "guesses")
domain = dict(prompts="drawn", guesses="drawn")  # pieces of a text; a number that changes no token
inputs = "step_01_ngram"
reference = "step_01_ngram"
tolerance = "step_01_ngram"
baseline = "step_01_ngram"
tier = "idiomatic"
menu = ("inference", "memory-bound")


def prepare_optimized(prompts, weights, answer, guesses):
    model, longest = demo_architecture(), prompts.shape[1] + answer
    draft = replace(model, shape=replace(model.shape, layers=model.shape.layers[:1]))
    first = replace(weights, layers=weights.layers[:1])
    width = -(-longest // BLOCK)
    cache = Cache(draft, len(prompts) * width, BLOCK, weights.dtype, weights.device)
    runner = Runner(draft, first, cache, longest, len(prompts))
    if weights.device.type == "cuda":
        runner.capture(len(prompts))
    settings = Settings(blocks=len(prompts) * width, block_size=BLOCK, most_running=len(prompts))
    return Engine(model, weights, settings, DraftSpeculator(runner, guesses))


def optimized(engine, prompts, weights, answer, guesses):
    return torch.tensor(answers(engine, prompts.tolist(), [answer] * len(prompts)), device=prompts.device)


def cost(requests, prompt, answer, guesses, steps, dtype):
    shape = demo_architecture().shape
    layer = 2 * (shape.heads + shape.kv_heads) * shape.head_dim * shape.hidden + 3 * shape.hidden * shape.ffn
    weights = len(shape.layers) * layer + shape.vocab * shape.hidden
    return dict(
        flops=2 * requests * (prompt + answer) * weights,
        bytes=getattr(torch, dtype).itemsize * answer * weights,
        samples=requests * answer,
    )
