"""Jacobian of a small network: a loop of grad calls against torch.func.jacrev."""

import torch
from torch.func import jacrev

W1, W2 = torch.nn.Parameter(torch.randn(16, 32) * 0.3), torch.nn.Parameter(torch.randn(32, 8) * 0.3)


def f(x):
    return torch.tanh(x @ W1.to(x.dtype)) @ W2.to(x.dtype)


def inputs():
    return torch.randn(16)


def baseline(x):
    x = x.clone().requires_grad_()
    y = f(x)
    return torch.stack([torch.autograd.grad(v, x, retain_graph=True)[0] for v in y])


def optimized(x):
    return jacrev(f)(x).detach()
