"""Compile a SwiGLU feed-forward block."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class SwiGLU(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.w1, self.w2, self.w3 = (
            nn.Linear(d, h, bias=False),
            nn.Linear(h, d, bias=False),
            nn.Linear(d, h, bias=False),
        )

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


model = SwiGLU(128, 344).eval()
compiled = torch.compile(model)


def inputs():
    return torch.randn(64, 128)


def baseline(x):
    with torch.no_grad():
        return model(x)


def optimized(x):
    with torch.no_grad():
        return compiled(x)
