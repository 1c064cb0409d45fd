"""A whole training step with fused AdamW against the default."""

import torch
import torch.nn.functional as F

mutates = ("model", "optimizer")
workload = dict(width=64, depth=4, batch=32)


class Net(torch.nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(depth))
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, x):
        for layer in self.layers:
            x = x + F.gelu(layer(self.norm(x)))
        return x


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


def inputs(width, depth, batch):
    model = Net(width, depth)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(3):
        step(model, optimizer, torch.randn(batch, width), torch.randn(batch, width))
    return model, optimizer, torch.randn(batch, width), torch.randn(batch, width)


def baseline(model, optimizer, x, y):
    return step(model, optimizer, x, y)


def optimized(model, optimizer, x, y):
    for group in optimizer.param_groups:
        group["fused"] = True
    return step(model, optimizer, x, y)
