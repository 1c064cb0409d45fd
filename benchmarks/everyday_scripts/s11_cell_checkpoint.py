"""A notebook cell: gradients with and without activation checkpointing."""

import torch
from torch.utils.checkpoint import checkpoint
import perfproof

torch.manual_seed(0)
blocks = torch.nn.ModuleList([torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()) for _ in range(4)])


def plain(x):
    x = x.clone().requires_grad_()
    h = x
    for b in blocks:
        h = b(h)
    h.sum().backward()
    g = x.grad
    for p in blocks.parameters():
        p.grad = None
    return g


def checkpointed(x):
    x = x.clone().requires_grad_()
    h = x
    for b in blocks:
        h = checkpoint(b, h, use_reentrant=False)
    h.sum().backward()
    g = x.grad
    for p in blocks.parameters():
        p.grad = None
    return g


answer = perfproof.compare(plain, checkpointed, lambda: torch.randn(32, 64), effort="quick")
print(answer)
print(answer.status)
