"""clip_grad_value_ and norm with foreach on a model."""

import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

mutates = ["model"]


def inputs():
    model = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    (model(torch.randn(2, 5, 32)) * torch.randn(2, 5, 32)).sum().backward()
    return (model,)


def baseline(model):
    clip_grad_value_(model.parameters(), 5.0, foreach=False)
    return clip_grad_norm_(model.parameters(), 1.0, foreach=False)


def optimized(model):
    clip_grad_value_(model.parameters(), 5.0, foreach=True)
    return clip_grad_norm_(model.parameters(), 1.0, foreach=True)
