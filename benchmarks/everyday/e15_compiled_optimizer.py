"""Compile the step of an SGD optimizer with momentum."""

import torch
from torch import nn

mutates = ("model", "opt")


def inputs():
    model = nn.Sequential(*[nn.Linear(32, 32) for _ in range(8)])
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    for _ in range(3):
        opt.zero_grad()
        model(torch.randn(8, 32)).pow(2).mean().backward()
        opt.step()
    opt.zero_grad()
    model(torch.randn(8, 32)).pow(2).mean().backward()
    return model, opt


def baseline(model, opt):
    opt.step()


@torch.compile(fullgraph=False)
def run(opt):
    opt.step()


def optimized(model, opt):
    run(opt)
