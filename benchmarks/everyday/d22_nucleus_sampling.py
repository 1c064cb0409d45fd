"""Top-p sampling with a generator: sort everything, or topk first."""

import torch


def inputs():
    g = torch.Generator().manual_seed(int(torch.randint(2**40, ())))
    return torch.randn(16, 2000) * 3, g


def sample(p, idx, g):
    keep = p.cumsum(-1) - p < 0.9
    p = p * keep
    choice = torch.multinomial(p.float(), 1, generator=g)
    return idx.gather(-1, choice)


def baseline(logits, g):
    p, idx = logits.softmax(-1).sort(-1, descending=True)
    return sample(p, idx, g)


def optimized(logits, g):
    p, idx = logits.softmax(-1).topk(logits.shape[-1], -1)
    return sample(p, idx, g)
