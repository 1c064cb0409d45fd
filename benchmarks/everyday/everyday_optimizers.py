"""Optimizers after a few steps, for pairs that compare how they step."""

import torch


def warm(cls, **kw):
    params = [torch.nn.Parameter(torch.randn(16, 16)) for _ in range(10)]
    opt = cls(params, **kw)
    for _ in range(4):
        for p in params:
            p.grad = torch.randn_like(p)
        opt.step()
    for p in params:
        p.grad = torch.randn_like(p)
    return params, opt


def step(opt, foreach):
    for group in opt.param_groups:
        group["foreach"] = foreach
    opt.step()
