"""A training step with scheduler and clipping: RMSprop foreach."""

import torch
import torch.nn as nn

mutates = ("model", "opt", "sched")


def make(foreach=None):
    model = nn.Sequential(nn.Linear(48, 48), nn.LayerNorm(48), nn.ReLU(), nn.Linear(48, 48))
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3, momentum=0.9, foreach=foreach)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=100)
    return model, opt, sched


def step(model, opt, sched, x, foreach):
    for g in opt.param_groups:
        g["foreach"] = foreach
    opt.zero_grad(set_to_none=True)
    loss = model(x).pow(2).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=foreach)
    opt.step()
    sched.step()
    return loss.detach()


def inputs():
    model, opt, sched = make()
    for _ in range(4):
        step(model, opt, sched, torch.randn(16, 48), False)
    return model, opt, sched, torch.randn(16, 48)


def baseline(model, opt, sched, x):
    return step(model, opt, sched, x, False)


def optimized(model, opt, sched, x):
    return step(model, opt, sched, x, True)
