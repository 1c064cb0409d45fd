"""Guess the next tokens from the text itself and confirm several of them in one step of the model.

A decode step reads all weights for one token; a few tokens more cost little beside that. If the last tokens were seen
earlier, what followed them then is a free guess. The model's own tokens decide, so the answer is the same. Acceptance
is what a small model of real text gives: the demo model, trained here, continues pieces of its text.
Predicts: nothing beforehand; tokens per step are measured, not assumed.
No gain where: the text does not repeat itself. Then each step carries guesses that are wrong.
"""

import torch

from perfproof.engine.demo import demo_architecture, demo_tokens, train_demo
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import answers
from perfproof.engine.plain_decoder import logits_of
from perfproof.engine.speculation import NgramSpeculator

GUESSES, CLEAR = 4, 2e-3  # guesses per step; logits of a trained model that are closer than this are drawn again

workload = dict(requests=4, prompt=192, answer=96, steps=300, dtype="float32")
workload_cpu = dict(requests=2, prompt=128, answer=48, steps=300, dtype="float64")
smoke = dict(requests=2, prompt=67, answer=19, steps=20, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # pieces of a text
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
menu = ("inference", "memory-bound")


def constants(steps, dtype, answer):
    """Trained on a CPU, where a model of this size belongs, whatever the device of the run."""
    device = torch.get_default_device()
    with torch.device("cpu"):
        weights = train_demo(steps, seed=int(torch.randint(2**31, ())))[1]
    return weights.to(getattr(torch, dtype), device), answer


def inputs(requests, prompt, answer, steps, dtype, weights):
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


def reference(prompts, weights, answer):
    """The plain decoder in double precision, everything computed again for each token."""
    return continued(weights.to(torch.float64), prompts, answer)


def engine_for(prompts, weights, answer, speculator):
    model = demo_architecture()
    settings = Settings(blocks=len(prompts) * -(-(prompts.shape[1] + answer) // 16), most_running=len(prompts))
    return Engine(model, weights, settings, speculator)


def prepare_baseline(prompts, weights, answer):
    return engine_for(prompts, weights, answer, None)


def prepare_optimized(prompts, weights, answer):
    return engine_for(prompts, weights, answer, NgramSpeculator(GUESSES))


def decode(engine, prompts, answer):
    return torch.tensor(answers(engine, prompts.tolist(), [answer] * len(prompts)), device=prompts.device)


def baseline(engine, prompts, weights, answer):
    return decode(engine, prompts, answer)


def optimized(engine, prompts, weights, answer):
    return decode(engine, prompts, answer)


def cost(requests, prompt, answer, steps, dtype):
    """The model's weights per step, and one step per token: how many steps guessing saves is for the run to show."""
    shape = demo_architecture().shape
    layer = 2 * (shape.heads + shape.kv_heads) * shape.head_dim * shape.hidden + 3 * shape.hidden * shape.ffn
    weights = len(shape.layers) * layer + shape.vocab * shape.hidden
    return dict(
        flops=2 * requests * (prompt + answer) * weights,
        bytes=getattr(torch, dtype).itemsize * answer * weights,
        samples=requests * answer,
    )
