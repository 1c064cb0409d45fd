"""Gather each query's window instead of scoring every key and masking most of them."""

import math
import torch

workload = workload_cpu = dict(s=512, d=32)
smoke = dict(s=97, d=16)


def inputs(s, d):
    w = int(torch.randint(8, 24, ()))
    i = torch.arange(s)
    mask = (i[None, :] <= i[:, None]) & (i[None, :] > i[:, None] - w)
    return torch.randn(s, d), torch.randn(s, d), torch.randn(s, d), mask


def baseline(q, k, v, mask):
    scores = (q @ k.T) / math.sqrt(q.shape[1])
    return torch.softmax(scores.masked_fill(~mask, -math.inf), -1) @ v


def optimized(q, k, v, mask):
    s, d = q.shape
    w = int(mask[-1].sum())
    pad = torch.nn.functional.pad
    kw = pad(k, (0, 0, w - 1, 0)).unfold(0, w, 1)  # s, d, w
    vw = pad(v, (0, 0, w - 1, 0)).unfold(0, w, 1)
    scores = torch.einsum("sd,sdw->sw", q, kw) / math.sqrt(d)
    head = torch.arange(w - 1)[:, None] + torch.arange(w)[None, :] < w - 1
    scores[: w - 1].masked_fill_(head, -math.inf)
    return torch.einsum("sw,sdw->sd", torch.softmax(scores, -1), vw).contiguous()
