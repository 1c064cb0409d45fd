"""Four micro batches accumulated against one big batch."""

import torch
import torch.nn as nn

print("loading accumulation pair, torch", torch.__version__)
mutates = ["model"]


def inputs():
    m = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 1))
    return m, torch.randn(128, 20), torch.randn(128, 1)


def baseline(model, x, y):
    model.zero_grad()
    total = 0.0
    for xb, yb in zip(x.chunk(4), y.chunk(4)):
        loss = nn.functional.mse_loss(model(xb), yb) / 4
        loss.backward()
        total += loss.item()
    print("loss", total)
    return total


def optimized(model, x, y):
    model.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    return loss.item()
