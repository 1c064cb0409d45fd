"""Pick the ten best-rated documents per query with topk instead of a full sort."""

import torch


def inputs():
    return torch.randint(0, 20, (64, 2000))


def baseline(scores):
    v, i = torch.sort(scores, dim=1, descending=True)
    return v[:, :10], i[:, :10]


def optimized(scores):
    return tuple(torch.topk(scores, 10, dim=1))
