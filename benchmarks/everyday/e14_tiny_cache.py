"""Keep the attention mask of each length in an lru_cache."""

from functools import lru_cache

import torch


def make(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


cached = lru_cache(maxsize=64)(make)


def inputs():
    n = int(torch.randint(8, 33, ()))
    return torch.randn(n, n)


def baseline(s):
    return s.masked_fill(~make(s.shape[0]), float("-inf")).softmax(-1)


def optimized(s):
    return s.masked_fill(~cached(s.shape[0]), float("-inf")).softmax(-1)
