"""Guess what followed the same few tokens earlier in the text, and confirm the guesses in one step of the model.

Greedy decoding is one step per token. A guess from the text costs the host a search and the step a few more rows, which
are nearly free if the step is bound by weights or by launches. The tokens are those of greedy decoding in any case.
Acceptance is that of a small model of real text: the demo model, trained here, continues pieces of its text.
Predicts: nothing beforehand; tokens per step are measured.
No gain where: texts do not repeat themselves, or the batch is so large that rows cost as much as steps.
"""

import torch

from perfproof.engine.demo import demo_architecture, demo_tokens, train_demo
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import answers
from perfproof.engine.plain_decoder import logits_of
from perfproof.engine.speculation import NgramSpeculator

CLEAR = 2e-3  # logits of a trained model that are closer than this are drawn again in single precision

workload = dict(requests=1, prompt=192, answer=96, guesses=4, steps=300, dtype="float32")
workload_cpu = dict(requests=1, prompt=128, answer=48, guesses=4, steps=300, dtype="float64")
smoke = dict(requests=2, prompt=67, answer=19, guesses=3, steps=20, dtype="float64")
sweep = dict(guesses=[1, 2, 4, 8], requests=[1, 4, 16])
constant = ("weights", "answer", "guesses")
domain = dict(prompts="drawn", guesses="drawn")  # pieces of a text; a number that changes no token
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
menu = ("inference", "memory-bound")


def constants(steps, dtype, answer, guesses):
    """Trained on a CPU, whatever the device of the run."""
    device = torch.get_default_device()
    with torch.device("cpu"):
        weights = train_demo(steps, seed=int(torch.randint(2**31, ())))[1]
    return weights.to(getattr(torch, dtype), device), answer, guesses


def inputs(requests, prompt, answer, guesses, steps, dtype, weights):
    text, kept = demo_tokens().to(weights.device), []
    while len(kept) < requests:
        start = int(torch.randint(len(text) - prompt, ()))
        piece = text[None, start : start + prompt]
        if weights.dtype == torch.float64 or is_clear(weights, piece, answer):
            kept.append(piece[0])
    return torch.stack(kept)


def is_clear(weights, piece, answer):
    """No two logits on the way are almost equal: in single precision rounding would choose between them."""
    whole = torch.cat([piece, continued(weights, piece, answer)], 1)
    best = logits_of(demo_architecture(), weights, whole)[0, piece.shape[1] - 1 : -1].topk(2, -1).values
    return bool((best[:, 0] - best[:, 1] > CLEAR).all())


def continued(weights, tokens, count):
    length = tokens.shape[1]
    with torch.no_grad():
        for _ in range(count):
            best = logits_of(demo_architecture(), weights, tokens)[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, best], 1)
    return tokens[:, length:]


def reference(prompts, weights, answer, guesses):
    """The plain decoder in double precision, everything computed again for each token."""
    return continued(weights.to(torch.float64), prompts, answer)


def engine_for(prompts, weights, answer, speculator):
    settings = Settings(blocks=len(prompts) * -(-(prompts.shape[1] + answer) // 16), most_running=len(prompts))
    return Engine(demo_architecture(), weights, settings, speculator)


def prepare_baseline(prompts, weights, answer, guesses):
    return engine_for(prompts, weights, answer, None)


def prepare_optimized(prompts, weights, answer, guesses):
    return engine_for(prompts, weights, answer, NgramSpeculator(guesses))


def baseline(engine, prompts, weights, answer, guesses):
    return torch.tensor(answers(engine, prompts.tolist(), [answer] * len(prompts)), device=prompts.device)


def optimized(engine, prompts, weights, answer, guesses):
    return torch.tensor(answers(engine, prompts.tolist(), [answer] * len(prompts)), device=prompts.device)


def cost(requests, prompt, answer, guesses, steps, dtype):
    """The model's weights per step, and one step per token: how many steps guessing saves is for the run to show."""
    shape = demo_architecture().shape
    layer = 2 * (shape.heads + shape.kv_heads) * shape.head_dim * shape.hidden + 3 * shape.hidden * shape.ffn
    weights = len(shape.layers) * layer + shape.vocab * shape.hidden
    return dict(
        flops=2 * requests * (prompt + answer) * weights,
        bytes=getattr(torch, dtype).itemsize * answer * weights,
        samples=requests * answer,
    )
