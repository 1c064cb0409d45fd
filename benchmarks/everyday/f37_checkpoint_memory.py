"""Activation checkpointing: memory of a deep network's backward pass for some more time."""

import torch
from torch.utils.checkpoint import checkpoint_sequential
from torch import nn

claim = "memory"
constant = ("model",)
workload = dict(batch=4096, width=128, layers=12)
smoke = dict(batch=5, width=16, layers=4)


def constants(width, layers):
    blocks = [nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.LayerNorm(width)) for _ in range(layers)]
    return nn.Sequential(*blocks)


def inputs(batch, width, layers):
    return torch.randn(batch, width)


def gradients(model, x, forward):
    x = x.detach().requires_grad_()
    loss = forward(x).square().mean() + forward_penalty(model)
    return torch.autograd.grad(loss, [x, *model.parameters()])


def forward_penalty(model):
    return 1e-4 * sum(p.square().sum() for p in model.parameters())


def baseline(x, model):
    return gradients(model, x, model)


def optimized(x, model):
    return gradients(model, x, lambda x: checkpoint_sequential(model, 4, x, use_reentrant=False))
