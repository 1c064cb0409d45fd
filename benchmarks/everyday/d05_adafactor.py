"""Adafactor: does foreach help for a small model?"""

import torch

mutates = ["params", "opt"]


def inputs():
    params = [torch.nn.Parameter(torch.randn(24, 48)) for _ in range(8)] + [
        torch.nn.Parameter(torch.randn(48)) for _ in range(8)
    ]
    opt = torch.optim.Adafactor(params, lr=0.01)
    for _ in range(3):
        for p in params:
            p.grad = torch.randn_like(p)
        opt.step()
    return params, opt


def baseline(params, opt):
    opt.param_groups[0]["foreach"] = False
    opt.step()


def optimized(params, opt):
    opt.param_groups[0]["foreach"] = True
    opt.step()
