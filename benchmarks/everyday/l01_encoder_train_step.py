"""Clip gradients and update with the multi-tensor paths instead of one parameter at a time.

A small encoder has some twenty parameter tensors. The loop reads every norm back with .item() and AdamW
starts a handful of little kernels for each tensor.
"""

import torch
from torch import nn
from torch.nn import functional as F

workload = dict(batch=16, seq=32, width=64, classes=10)
smoke = dict(batch=3, seq=7, width=16, classes=4)
mutates = ("model", "optimizer", "scheduler")

MAX_NORM = 1.0


class Classifier(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.block = nn.TransformerEncoderLayer(
            width, nhead=4, dim_feedforward=2 * width, dropout=0.0, batch_first=True, norm_first=True
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.norm(self.block(x)).mean(dim=1))


def inputs(batch, seq, width, classes):
    model = Classifier(width, classes)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.01, foreach=False)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=100)
    for _ in range(3):  # moments that are not those of a first step
        F.cross_entropy(model(torch.randn(batch, seq, width)), torch.randint(classes, (batch,))).backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    return model, optimizer, scheduler, torch.randn(batch, seq, width), torch.randint(classes, (batch,))


def baseline(model, optimizer, scheduler, x, y):
    loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
    loss.backward()
    total = 0.0
    for p in model.parameters():
        total += p.grad.norm(2).item() ** 2
    total = total**0.5
    scale = min(1.0, MAX_NORM / (total + 1e-6))
    for p in model.parameters():
        p.grad.mul_(scale)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    return loss.detach()


def optimized(model, optimizer, scheduler, x, y):
    loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM, foreach=True)
    for group in optimizer.param_groups:
        group["foreach"] = True
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    return loss.detach()
