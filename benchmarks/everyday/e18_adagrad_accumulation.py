"""Accumulate four micro-batches and step, against one large batch."""

import torch
import torch.nn as nn
import torch.nn.functional as F

mutates = ("net", "optim")


def inputs():
    net = nn.Sequential(nn.Linear(20, 32), nn.Tanh(), nn.Linear(32, 1))
    optim = torch.optim.Adagrad(net.parameters(), lr=0.05)
    for _ in range(2):
        optim.zero_grad()
        F.mse_loss(net(torch.randn(32, 20)), torch.randn(32, 1)).backward()
        optim.step()
    optim.zero_grad()
    return net, optim, torch.randn(64, 20), torch.randn(64, 1)


def baseline(net, optim, x, y):
    optim.zero_grad()
    total = 0.0
    for xb, yb in zip(x.chunk(4), y.chunk(4), strict=True):
        loss = F.mse_loss(net(xb), yb) / 4
        loss.backward()
        total += loss.item()
    optim.step()
    return total


def optimized(net, optim, x, y):
    optim.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optim.step()
    return loss.item()
