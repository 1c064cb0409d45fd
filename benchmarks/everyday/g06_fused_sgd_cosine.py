"""A training step with SGD, Nesterov momentum, weight decay and a warm-up schedule: fused instead of a loop."""

import torch
from torch import nn

mutates = ("model", "optimizer", "schedule")


def inputs():
    model = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [
            torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=5),
            torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 50),
        ],
        milestones=[5],
    )
    for _ in range(3):
        step(model, optimizer, schedule, torch.randn(16, 32), torch.randint(8, (16,)))
    return model, optimizer, schedule, torch.randn(16, 32), torch.randint(8, (16,))


def step(model, optimizer, schedule, x, y):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    schedule.step()
    return loss.item()


def baseline(model, optimizer, schedule, x, y):
    for group in optimizer.param_groups:
        group["foreach"] = False
    return step(model, optimizer, schedule, x, y)


def optimized(model, optimizer, schedule, x, y):
    for group in optimizer.param_groups:
        group["foreach"], group["fused"] = False, True
    return step(model, optimizer, schedule, x, y)
