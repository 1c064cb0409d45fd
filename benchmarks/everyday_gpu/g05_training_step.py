"""Step AdamW with fused=True: one kernel per list of parameters instead of ten passes.

The model has 100 million parameters. Forward and backward are the same on both sides; the update of the foreach form
reads and writes every state tensor several times.
"""

import torch
from torch import nn

workload = dict(batch=256, width=2_048, layers=6)
workload_cpu = dict(batch=4, width=64, layers=2)
smoke = dict(batch=3, width=24, layers=2)
mutates = ("model", "optimizer")
tolerance = dict(rtol=1e-3, atol=1e-4)  # fp32 products of 2,048 terms in another order, and one step of 1e-3
tier = "idiomatic"


def inputs(batch, width, layers):
    blocks = [nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)) for _ in range(layers)]
    model = nn.Sequential(*blocks)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(2):
        model(torch.randn(batch, width)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return model, optimizer, torch.randn(batch, width), torch.randn(batch, width)


def step(model, optimizer, x, target, fused):
    for group in optimizer.param_groups:
        group["fused"], group["foreach"] = fused, not fused
    loss = nn.functional.mse_loss(model(x), target)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    for group in optimizer.param_groups:
        group["fused"] = group["foreach"] = None
    return loss.detach()


def reference(model, optimizer, x, target):
    loss = nn.functional.mse_loss(model(x.double()), target.double())
    loss.backward()
    for group in optimizer.param_groups:
        group["foreach"] = False
    optimizer.step()
    for group in optimizer.param_groups:
        group["foreach"] = None
    optimizer.zero_grad()
    return loss.detach()


def baseline(model, optimizer, x, target):
    return step(model, optimizer, x, target, fused=False)


def optimized(model, optimizer, x, target):
    return step(model, optimizer, x, target, fused=True)


def cost(batch, width, layers):
    weights = 4 * layers * width * width
    return dict(
        flops=6 * batch * weights,
        bytes=4 * 12 * weights,
        samples=batch,
        baseline_bytes=4 * 22 * weights,
        optimized_bytes=4 * 12 * weights,
    )
