"""Compile loss and gradients of a small MLP, from a script."""

import torch, torch.nn as nn
import torch.nn.functional as F
import perfproof

model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 10))


def loss_and_grads(x, y):
    loss = F.cross_entropy(model(x), y)
    grads = torch.autograd.grad(loss, list(model.parameters()))
    return loss.detach(), grads


def forward(x, y):
    return F.cross_entropy(model(x), y)


fast_forward = torch.compile(forward)


def compiled(x, y):
    loss = fast_forward(x, y)
    return loss.detach(), torch.autograd.grad(loss, list(model.parameters()))


answer = perfproof.compare(
    loss_and_grads, compiled, lambda: (torch.randn(64, 32), torch.randint(0, 10, (64,))), effort="quick"
)
print(answer)
print(answer.status)
