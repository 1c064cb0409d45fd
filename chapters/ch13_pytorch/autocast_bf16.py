"""Run forward and backward under autocast to bfloat16, with master weights in float32.

Matrix units do bfloat16 products many times as fast as float32 ones, and activations take half the bytes. Autocast
converts the arguments of each product; weights, gradients and loss stay float32. Bfloat16 has the range of float32, so
no loss scaling is needed. Predicts: up to the ratio of the two rates, less the casts. No gain where: the processor
emulates bfloat16, as many CPUs do; there it loses. The price is the answer: gradients are right to about one per cent.
The loss curve says whether that is enough.
"""

import torch

workload = dict(batch=8_192, width=2_048, hidden=8_192)
workload_cpu = dict(batch=64, width=128, hidden=256)
smoke = dict(batch=37, width=19, hidden=53)
constant = ("weights",)
lowers_precision = "bf16"
tolerance = dict(
    float32=dict(rtol=3e-2, atol=6e-2),  # sums near 1 of products rounded at 2**-9, through two layers and back
    float64=dict(rtol=2e-3, atol=0.0),  # the loss: in a sum of squares the roundings cancel out
)
tier = "idiomatic"
menu = ("training", "compute-bound")


def inputs(batch, width, hidden):
    x = torch.randn(batch, width)
    weights = [torch.randn(width, hidden) / width**0.5, torch.randn(hidden, width) / hidden**0.5]
    return x, (torch.rand(()) + 0.5) * torch.randn(batch, width), weights  # so that the losses of two batches differ


def loss_of(x, y, weights):
    """Squared distance per sample: gradients are near 1, whatever the sizes are."""
    error = torch.tanh(x @ weights[0]) @ weights[1] - y
    return error.float().square().sum() / len(x) ** 0.5


def reference(x, y, weights):
    """The gradients by hand, in float64."""
    up, down = (weight.double() for weight in weights)
    hidden = torch.tanh(x.double() @ up)
    error = hidden @ down - y.double()
    slope = 2 * error / len(x) ** 0.5
    down_slope = hidden.T @ slope
    up_slope = x.double().T @ (slope @ down.T * (1 - hidden**2))
    return error.square().sum() / len(x) ** 0.5, up_slope, down_slope


def step(x, y, weights, half):
    leaves = [weight.detach().requires_grad_() for weight in weights]
    with torch.autocast(x.device.type, dtype=torch.bfloat16, enabled=half):
        loss = loss_of(x, y, leaves)
    return loss.detach().double(), *torch.autograd.grad(loss, leaves)


def baseline(x, y, weights):
    return step(x, y, weights, half=False)


def optimized(x, y, weights):
    return step(x, y, weights, half=True)


def cost(batch, width, hidden):
    products = 5 * 2 * batch * width * hidden  # two forward, three backward: x needs no gradient
    return dict(flops=products, bytes=4 * (2 * batch * width + 4 * width * hidden))


def loss_curve(side, steps):
    """Losses of gradient descent with the gradients of the side; the weights are float32 on both."""
    run = optimized if side == "optimized" else baseline
    weights, losses = [torch.randn(16, 64) / 4, torch.randn(64, 16) / 8], []
    for _ in range(steps):
        x = torch.randn(128, 16)
        loss, *slopes = run(x, x.roll(1, -1).tanh(), weights)
        losses.append(loss.item() / 128**0.5 / 16)
        for weight, slope in zip(weights, slopes, strict=True):
            weight.sub_(slope, alpha=0.03 / 128**0.5)
    return losses
