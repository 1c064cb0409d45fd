"""A training step over a batch at once instead of sample by sample."""

import torch
from torch import nn
import torch.nn.functional as F

workload = dict(batch=32, width=48)
mutates = ("model", "optimizer")


def inputs(batch, width):
    model = nn.Sequential(nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(3):
        F.cross_entropy(model(torch.randn(batch, width)), torch.randint(0, 10, (batch,))).backward()
        optimizer.step()
        optimizer.zero_grad()
    return model, optimizer, torch.randn(batch, width), torch.randint(0, 10, (batch,))


def baseline(model, optimizer, x, y):
    optimizer.zero_grad()
    total = 0.0
    for sample, label in zip(x, y):
        loss = F.cross_entropy(model(sample[None]), label[None]) / len(x)
        loss.backward()
        total = total + loss.detach()
    optimizer.step()
    return total


def optimized(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()
