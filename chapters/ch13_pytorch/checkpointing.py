"""Recompute activations in the backward pass instead of keeping them: the peak falls, and the step takes longer.

A block keeps its input and its hidden layer, five widths per row, until its backward pass. With a checkpoint per block
only the input stays; one block at a time is run again and holds the rest. The claim is about memory. The forward pass
is done twice, a third more arithmetic per step: the step is slower, and the result shows by how much. Predicts: 2x to
3x less memory here. No gain where: the parameters and their state are the peak, not the activations.
"""

import torch
from torch.utils.checkpoint import checkpoint

INNER = 4  # widths of a hidden layer

workload = dict(blocks=12, rows=16_384, width=512)  # 32 MiB per activation of a block's width
workload_cpu = dict(blocks=8, rows=2_048, width=64)  # 512 KiB per activation of a block's width
smoke = dict(blocks=3, rows=37, width=19)
constant = ("weights",)
claim = "memory"
tolerance = dict(rtol=1e-4, atol=2e-5)  # float32 sums over the rows through a dozen blocks, gradients near 1
tier = "idiomatic"
menu = ("training", "out-of-memory")


def inputs(blocks, rows, width):
    wide = INNER * width
    weights = [(torch.randn(width, wide) / width**0.5, torch.randn(wide, width) / 4 / wide**0.5) for _ in range(blocks)]
    return torch.randn(rows, width), weights


def block(x, up, down):
    return x + torch.tanh(x @ up) @ down


def reference(x, weights):
    """The gradients by hand, in float64, from the last block to the first."""
    wide, kept = x.double(), []
    for up, down in weights:
        kept.append((wide, torch.tanh(wide @ up.double())))
        wide = wide + kept[-1][1] @ down.double()
    slope, slopes = wide / len(x) ** 0.5, []
    for (up, down), (before, hidden) in zip(reversed(weights), reversed(kept), strict=True):
        inner = slope @ down.double().T * (1 - hidden**2)
        slopes.append((before.T @ inner, hidden.T @ slope))
        slope = slope + inner @ up.double().T
    return wide.square().sum() / 2 / len(x) ** 0.5, slopes[::-1]


def step(x, weights, run):
    leaves = [tuple(weight.detach().requires_grad_() for weight in pair) for pair in weights]
    for up, down in leaves:
        x = run(block, x, up, down)
    loss = x.square().sum() / 2 / len(x) ** 0.5
    slopes = torch.autograd.grad(loss, [leaf for pair in leaves for leaf in pair])
    return loss.detach(), list(zip(slopes[::2], slopes[1::2], strict=True))


def kept(function, *arguments):
    return function(*arguments)


def recomputed(function, *arguments):
    return checkpoint(function, *arguments, use_reentrant=False, preserve_rng_state=False)


def baseline(x, weights):
    return step(x, weights, kept)


def optimized(x, weights):
    return step(x, weights, recomputed)


def cost(blocks, rows, width):
    gradients = blocks * 2 * INNER * width**2 / rows / width  # in units of one activation: rows x width
    whole, one = (
        blocks * (1 + INNER),
        1 + 3 * INNER,
    )  # a block's backward pass holds its hidden layer and two slopes of it
    return dict(predicted_optimized=(whole + one + gradients) / (blocks + one + gradients))


def loss_curve(side, steps):
    """Losses of gradient descent with the gradients of the side: the network learns to give zero."""
    run = optimized if side == "optimized" else baseline
    weights, losses = [(torch.randn(16, 64) / 4, torch.randn(64, 16) / 32) for _ in range(2)], []
    for _ in range(steps):
        loss, slopes = run(torch.randn(128, 16), weights)
        losses.append(loss.item() * 2 / 128**0.5 / 16)
        for pair, pair_slopes in zip(weights, slopes, strict=True):
            for weight, slope in zip(pair, pair_slopes, strict=True):
                weight.sub_(slope, alpha=0.03 / 128**0.5)
    return losses
