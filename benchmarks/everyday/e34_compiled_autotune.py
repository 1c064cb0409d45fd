"""Compile layer norm, GELU and a residual with max-autotune-no-cudagraphs."""

import torch
import torch.nn.functional as F

constant = ("w", "b")


def inputs():
    return torch.randn(64, 256), torch.rand(256) + 0.5, torch.randn(256)


def baseline(x, w, b):
    return x + F.gelu(F.layer_norm(x, (256,), w, b))


optimized = torch.compile(baseline, mode="max-autotune-no-cudagraphs")
