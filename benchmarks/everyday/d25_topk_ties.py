"""The best k of integer scores, with ties: stable sort against topk."""

import torch


def inputs():
    return torch.randint(0, 50, (64, 1000))


def baseline(scores):
    values, order = torch.sort(scores, dim=-1, descending=True, stable=True)
    return values[:, :10].contiguous()


def optimized(scores):
    return scores.topk(10, dim=-1).values
