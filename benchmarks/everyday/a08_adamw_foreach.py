"""Update all parameters with a few multi-tensor calls (foreach=True), not with ten small ones per parameter.

A model has many small parameters. The plain loop of AdamW dispatches about ten operations for each of them; foreach
hands whole lists to one call, which on a GPU is one launch for many tensors. The bytes are equal: what is saved is
dispatch.
"""

import torch
from torch import nn

workload = dict(layers=200, width=64)
workload_cpu = dict(layers=24, width=32)
smoke = dict(layers=3, width=5)
mutates = ("model", "optimizer")
tolerance = dict(rtol=1e-5, atol=1e-6)  # a step of 1e-3 on float32 values up to 1, rounded at 2**-24
tier = "naive"

LR, BETA1, BETA2, EPS, DECAY = 1e-3, 0.9, 0.999, 1e-8, 1e-2


def inputs(layers, width):
    model = nn.Sequential(*[nn.Linear(width, width) for _ in range(layers)])
    optimizer = torch.optim.AdamW(model.parameters(), lr=LR, betas=(BETA1, BETA2), eps=EPS, weight_decay=DECAY)
    for _ in range(2):  # a first step makes the moments; the second gradient is for the step that is measured
        if model[0].weight.grad is not None:
            optimizer.step()
        for p in model.parameters():
            p.grad = torch.randn_like(p)
    return model, optimizer


@torch.no_grad()
def reference(model, optimizer):
    for p in model.parameters():
        state = optimizer.state[p]
        state["step"] += 1
        t, g = state["step"].item(), p.grad.double()
        m = BETA1 * state["exp_avg"].double() + (1 - BETA1) * g
        v = BETA2 * state["exp_avg_sq"].double() + (1 - BETA2) * g * g
        state["exp_avg"].copy_(m)
        state["exp_avg_sq"].copy_(v)
        update = (m / (1 - BETA1**t)) / ((v / (1 - BETA2**t)).sqrt() + EPS)
        p.copy_(p.double() * (1 - LR * DECAY) - LR * update)


def step(optimizer, foreach):
    before = [group["foreach"] for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        group["foreach"] = foreach
    optimizer.step()
    for group, old in zip(optimizer.param_groups, before, strict=True):
        group["foreach"] = old


def baseline(model, optimizer):
    step(optimizer, foreach=False)


def optimized(model, optimizer):
    step(optimizer, foreach=True)


def cost(layers, width):
    count = layers * (width * width + width)
    return dict(flops=15 * count, bytes=28 * count)  # reads p, g, m, v and writes p, m, v
