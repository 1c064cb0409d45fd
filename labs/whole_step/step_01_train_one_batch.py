"""Send all sequences of a training step through the model at once, instead of one after the other.

The loop that is written first accumulates gradients over single sequences: all weights are read, and all gradients
read and written, once per sequence. One pass over the batch does that once. Lever: `ch01:microbatch_fusion`.
Predicts: the same flops; traffic of weights and gradients falls by the number of sequences.
No gain where: a sequence alone keeps the multiply units busy, or activations of the batch do not fit.
"""

import torch
from _training import (
    BETAS,
    DECAY,
    EPS,
    PARTS,
    RATE,
    SQUARE_BEFORE,
    STEPS_BEFORE,
    Levers,
    as_weights,
    changes_of,
    loss_curve_of,
    train,
)

from perfproof.engine.offline import llama_of, random_llama
from perfproof.engine.plain_decoder import logits_of

BEFORE, AFTER = Levers(), Levers(one_batch=True)

workload = dict(steps=2, sequences=4, length=512, layers=6, hidden=1_536, ffn=4_096, vocab=32_000)  # 247 M
workload_cpu = dict(steps=2, sequences=4, length=64, layers=2, hidden=128, ffn=256, vocab=256)
smoke = dict(steps=3, sequences=3, length=13, layers=2, hidden=128, ffn=72, vocab=61)
constant = ("start",)
domain = dict(tokens="drawn")  # numbers of tokens
tolerance = dict(rtol=1e-5, atol=3e-6)  # losses near 5, sums of changes near 0.01, of weights rounded at 2**-24
tier = "naive"
menu = ("training", "memory-bound")


def constants(layers, hidden, ffn, vocab):
    weights = random_llama(layers, hidden, ffn, vocab, torch.float32)
    return [weights.embedding, *(getattr(one, part) for one in weights.layers for part in PARTS), weights.head]


def inputs(steps, sequences, length, layers, hidden, ffn, vocab):
    return torch.randint(vocab, (steps, sequences, length + 1))


def reference(tokens, start):
    """The plain decoder in float64 under autograd, one sequence at a time, and AdamW by hand."""
    weights = [one.double() for one in start]
    means, squares = (
        [torch.zeros_like(one) for one in weights],
        [torch.full_like(one, SQUARE_BEFORE) for one in weights],
    )
    model, losses = llama_of(as_weights(start)), []
    for number, batch in enumerate(tokens):
        total, slopes = 0.0, [torch.zeros_like(one) for one in weights]
        for text in batch:
            leaves = [one.detach().requires_grad_() for one in weights]
            logits = logits_of(model, as_weights(leaves), text[None, :-1])[0]
            loss = -logits.log_softmax(-1)[torch.arange(len(text) - 1), text[1:]].mean() / len(batch)
            for slope, own in zip(slopes, torch.autograd.grad(loss, leaves), strict=True):
                slope += own
            total = total + loss.detach()
        losses.append(total)
        step = STEPS_BEFORE + number + 1
        for weight, slope, mean, square in zip(weights, slopes, means, squares, strict=True):
            mean.mul_(BETAS[0]).add_(slope, alpha=1 - BETAS[0])
            square.mul_(BETAS[1]).add_(slope**2, alpha=1 - BETAS[1])
            root = (square / (1 - BETAS[1] ** step)).sqrt() + EPS
            weight.mul_(1 - RATE * DECAY).sub_(RATE / (1 - BETAS[0] ** step) * mean / root)
    return torch.stack(losses), *changes_of(weights, start)


def baseline(tokens, start):
    return train(tokens, start, BEFORE)


def optimized(tokens, start):
    return train(tokens, start, AFTER)


def cost(steps, sequences, length, layers, hidden, ffn, vocab):
    tokens, matrices = steps * sequences * length, layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab
    return dict(
        flops=tokens * (6 * matrices + 6 * layers * length * hidden),  # half of the scores
        bytes=steps * 40 * (matrices + hidden * vocab),  # weights twice, gradients, and the update
        samples=tokens,
    )


def loss_curve(side, steps):
    return loss_curve_of(AFTER if side == "optimized" else BEFORE, steps)
