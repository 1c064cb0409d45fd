"""A rotary embedding module that keeps its table, against one that makes it each time; half precision results."""

import torch
from torch import nn
import perfproof


class Rotary(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.register_buffer("freq", 10000 ** (-torch.arange(0, dim, 2) / dim), persistent=False)

    def table(self, n, dtype):
        a = torch.arange(n)[:, None] * self.freq
        return a.cos().to(dtype), a.sin().to(dtype)

    def forward(self, x):
        c, s = self.table(x.shape[-2], x.dtype)
        a, b = x.chunk(2, -1)
        return torch.cat((a * c - b * s, a * s + b * c), -1)


class CachedRotary(Rotary):
    def __init__(self, dim=64):
        super().__init__(dim)
        self._kept = None

    def table(self, n, dtype):
        if self._kept is None or self._kept[0].shape[0] < n or self._kept[0].dtype != dtype:
            self._kept = super().table(n, dtype)
        c, s = self._kept
        return c[:n], s[:n]


print(perfproof.compare(Rotary(), CachedRotary(), lambda: torch.randn(2, 4, 128, 64), effort="quick"))
