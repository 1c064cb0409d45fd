"""SGD with momentum and weight decay: for-loop against foreach."""

import torch
from torch import nn

mutates = ["model", "opt"]


def inputs():
    model = nn.Sequential(*[nn.Linear(32, 32) for _ in range(12)])
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4, nesterov=True)
    for _ in range(2):
        for p in model.parameters():
            p.grad = torch.randn_like(p)
        opt.step()
    for p in model.parameters():
        p.grad = torch.randn_like(p)
    return model, opt


def baseline(model, opt):
    for g in opt.param_groups:
        g["foreach"] = False
    opt.step()


def optimized(model, opt):
    for g in opt.param_groups:
        g["foreach"] = True
    opt.step()
