"""Compute prompts in one worker and answers in another, so that no answer waits for the prompt of another request.

An answer is a chain: each token needs the one before it. If a worker also computes prompts, every prompt lengthens all
chains in it. With two pools, one worker computes prompts and hands their blocks to the other, which decodes all
answers in one batch: a decode step costs almost the same for twice the rows.
Predicts: with T steps of `STEP` and N prompts of `PROMPT` seconds, (T STEP + N/2 PROMPT) against max(T STEP, N PROMPT).
No gain where: the pools are out of balance, handing over costs more than computing, or only total work counts: two
mixed workers are never idle, and a pool is.
"""

import torch

from perfproof.engine.engine import Settings
from perfproof.router.local.model import VOCABULARY, as_tensor, plain_answers
from perfproof.router.local.workers import LocalWorkers, Wanted

SETTINGS = Settings(blocks=1024, token_budget=512, overlap=False)
STEP, TOKEN = 2e-3, 8e-5  # assumed seconds of a decode step and a prompt token: for the prediction alone

workload = dict(chats=6, opening=17, answer=32, documents=4, length=257)
workload_cpu = dict(chats=6, opening=17, answer=32, documents=4, length=257)
smoke = dict(chats=3, opening=5, answer=6, documents=2, length=39)
tolerance = dict(rtol=0, atol=0)  # tokens, in double precision
domain = dict(openings="drawn", texts="drawn")  # numbers of tokens
tier = "idiomatic"
clock = "latency"
menu = ("inference", "interference")


def inputs(chats, opening, answer, documents, length):
    openings = torch.randint(VOCABULARY, (chats, opening), device="cpu")
    return openings, torch.randint(VOCABULARY, (documents, length), device="cpu"), answer


def requests(openings, texts, answer):
    """Chats with long answers come first; then documents, of which one token is wanted: their class."""
    return [(prompt, answer) for prompt in openings.tolist()] + [(prompt, 1) for prompt in texts.tolist()]


def reference(openings, texts, answer):
    prompts, counts = zip(*requests(openings, texts, answer), strict=True)
    return as_tensor(plain_answers(list(prompts), list(counts)))


def prepare_baseline(openings, texts, answer):
    return LocalWorkers(2, SETTINGS)


def baseline(workers, openings, texts, answer):
    wanted = [Wanted(*one) for one in requests(openings, texts, answer)]
    return as_tensor([one.tokens for one in workers.answer(wanted, workers.router("least-loaded"))])


def prepare_optimized(openings, texts, answer):
    return LocalWorkers(2, SETTINGS)


def optimized(workers, openings, texts, answer):
    wanted = [Wanted(*one) for one in requests(openings, texts, answer)]
    return as_tensor([one.tokens for one in workers.answer_in_pools(wanted)])


def cost(chats, opening, answer, documents, length):
    chain, prompts = answer * STEP, documents * length * TOKEN
    return dict(predicted_optimized=(chain + prompts / 2) / max(chain, prompts))
