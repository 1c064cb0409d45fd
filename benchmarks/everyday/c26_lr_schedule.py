"""Compute the learning rate of a step in closed form, do not chain scheduler objects.

A warm-up times an exponential decay is two factors of the step's number. ChainedScheduler keeps two scheduler objects
that each go over the parameter groups and multiply the rate they find there, with wrappers and checks around each:
tens of microseconds of Python beside an optimizer step over a few small tensors.
"""

import torch

RATE, START, WARM, DECAY = 0.1, 0.1, 10, 0.95

workload = dict(tensors=16, size=4_096, steps=40)
workload_cpu = dict(tensors=8, size=256, steps=40)
smoke = dict(tensors=3, size=17, steps=12)
mutates = ["weights"]
tolerance = dict(rtol=1e-5, atol=2e-6)  # float32 weights near 1 and updates near 0.1, rounded at each of 40 steps
tier = "idiomatic"


def inputs(tensors, size, steps):
    weights = [torch.randn(size) for _ in range(tensors)]
    gradients = [torch.randn(size) for _ in range(tensors)]
    return weights, gradients, steps


def reference(weights, gradients, steps):
    rate = RATE * START
    for step in range(steps):
        for weight, gradient in zip(weights, gradients, strict=True):
            weight -= rate * gradient.double()
        rate = RATE * (START + (1 - START) * min(step + 1, WARM) / WARM) * DECAY ** (step + 1)
    return rate


def make_optimizer(weights, gradients):
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.grad = gradient
    return torch.optim.SGD(weights, lr=RATE)


def baseline(weights, gradients, steps):
    optimizer = make_optimizer(weights, gradients)
    schedule = torch.optim.lr_scheduler.ChainedScheduler(
        [
            torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=START, total_iters=WARM),
            torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=DECAY),
        ]
    )
    for _ in range(steps):
        optimizer.step()
        schedule.step()
    optimizer.zero_grad()
    return optimizer.param_groups[0]["lr"]


def optimized(weights, gradients, steps):
    optimizer = make_optimizer(weights, gradients)
    group = optimizer.param_groups[0]
    group["lr"] = RATE * START
    for step in range(1, steps + 1):
        optimizer.step()
        group["lr"] = RATE * (START + (1 - START) * min(step, WARM) / WARM) * DECAY**step
    optimizer.zero_grad()
    return group["lr"]


def cost(tensors, size, steps):
    n = tensors * size * steps
    return dict(flops=2 * n, bytes=12 * n, samples=steps)
