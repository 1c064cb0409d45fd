"""Checkpointing halves the memory of a deep stack."""

import torch
from torch.utils.checkpoint import checkpoint_sequential

claim = "memory"
constant = ["net"]
workload = dict(depth=16, width=128, batch=512)


def constants(depth, width):
    layers = []
    for _ in range(depth):
        layers += [torch.nn.Linear(width, width), torch.nn.GELU()]
    return torch.nn.Sequential(*layers)


def inputs(depth, width, batch):
    return torch.randn(batch, width)


def baseline(x, net):
    x = x.clone().requires_grad_(True)
    net(x).square().mean().backward()
    net.zero_grad(set_to_none=True)
    return x.grad


def optimized(x, net):
    x = x.clone().requires_grad_(True)
    checkpoint_sequential(net, 4, x, use_reentrant=False).square().mean().backward()
    net.zero_grad(set_to_none=True)
    return x.grad
