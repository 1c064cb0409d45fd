"""Compile a CNN in place with model.compile(), from a script."""

import torch
from torch import nn
import perfproof


def cnn():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.Conv2d(8, 8, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 10),
    ).eval()


eager, fast = cnn(), cnn()
fast.compile()
with torch.no_grad():
    answer = perfproof.compare(eager, fast, lambda: torch.randn(4, 3, 32, 32), effort="quick")
print(answer)
print(answer.status)
