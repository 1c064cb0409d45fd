"""Leave each step's loss on the device and read them all at the end: `.item()` makes the host wait for the GPU.

A GPU works through a queue that the host fills ahead of it. Reading a loss back empties that queue: the host waits for
the step to end, the GPU then waits for the host to launch the next. Kernels, flops and bytes are equal on both sides,
so the count predicts nothing: the gain is the waiting, up to 2x where launching a step takes as long as running it, and
little where either is much the longer. The goodput of each side is what the loop is for, samples trained a second;
beside it the report shows the share of the time that the device is busy, and samples a joule where energy is known. On
a CPU there is no queue, `.item()` is a plain read, and the honest result is "same".
"""

import torch

LEARNING_RATE = 0.1

workload = dict(steps=20, batch=4_096, width=512, hidden=1_024)  # 21 GFLOP a step: about as long as its launches
workload_cpu = dict(steps=20, batch=32, width=32, hidden=64)
smoke = dict(steps=5, batch=7, width=11, hidden=13)
mutates = ("up", "down")
tolerance = dict(rtol=1e-5, atol=2e-6)  # weights and losses below 2, rounded at 2**-24 in each of the steps
tier = "idiomatic"
menu = ("training", "host-bound")


def inputs(steps, batch, width, hidden):
    x, y = torch.randn(2, steps, batch, width)
    return x, y, torch.randn(width, hidden) / width**0.5, torch.randn(hidden, width) / hidden**0.5


def reference(x, y, up, down):
    """The gradients by hand, in float64."""
    wide_up, wide_down, losses = up.double(), down.double(), []
    for features, target in zip(x.double(), y.double(), strict=True):
        hidden = torch.tanh(features @ wide_up)
        error = hidden @ wide_down - target
        losses.append(error.square().mean())
        slope = 2 * error / error.numel()
        up_slope = features.T @ (slope @ wide_down.T * (1 - hidden**2))
        wide_down -= LEARNING_RATE * hidden.T @ slope
        wide_up -= LEARNING_RATE * up_slope
    up.copy_(wide_up)
    down.copy_(wide_down)
    return torch.stack(losses).cpu()


def train_step(features, target, weights):
    up, down = leaves = [weight.detach().requires_grad_() for weight in weights]
    loss = torch.nn.functional.mse_loss(torch.tanh(features @ up) @ down, target)
    for weight, gradient in zip(weights, torch.autograd.grad(loss, leaves), strict=True):
        weight.sub_(gradient, alpha=LEARNING_RATE)
    return loss.detach()


def baseline(x, y, up, down):
    losses = []
    for features, target in zip(x, y, strict=True):
        losses.append(train_step(features, target, (up, down)).item())
    return torch.tensor(losses, device="cpu")


def optimized(x, y, up, down):
    losses = []
    for features, target in zip(x, y, strict=True):
        losses.append(train_step(features, target, (up, down)))
    return torch.stack(losses).cpu()


def cost(steps, batch, width, hidden):
    products = 5 * 2 * batch * width * hidden  # two forward, three backward
    return dict(
        flops=steps * products,
        bytes=4 * (2 * steps * batch * width + 2 * 2 * width * hidden),
        samples=steps * batch,  # the useful work of a call
    )
