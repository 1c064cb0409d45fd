"""Dropout: take the mask from a pool of masks, at a random place."""

import torch

N, P = 8192, 0.1
distribution = True
_pool = []


def inputs():
    return torch.rand(N) + 0.5


def reference(x):
    return torch.where(torch.rand(N) < 1.0 - P, x.double() / (1.0 - P), 0.0).float()


def baseline(x):
    keep = torch.rand(N) < 1.0 - P
    return x * keep / (1.0 - P)


def optimized(x):
    if not _pool:
        for _ in range(8):
            keep = (torch.rand(N) < 1.0 - P).to(x.dtype) / (1.0 - P)
            _pool.append(torch.cat((keep, keep)))
    pick = int(torch.randint(8 * N, ()))
    k = pick // 8
    return x * _pool[pick % 8][k : k + N]


# WHY: eight masks are drawn once and only shifted afterwards: every place is kept with the right probability, but the number of kept values takes eight values and all later draws repeat the first ones
