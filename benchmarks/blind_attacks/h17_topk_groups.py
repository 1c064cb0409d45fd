"""Select the k highest values from the k groups with the highest maxima.

A value among the k highest lies in one of those groups: k groups with a higher maximum would hold k higher values. So the result is
exact. Values are returned, so equal ones need no order.
"""

import torch

workload = dict(rows=16, n=32768)
smoke = dict(rows=3, n=1031)
K = 8
DEPTH = 64


def inputs(rows, n):
    return torch.randn(rows, n)


def baseline(x):
    return torch.topk(x, K).values


def optimized(x):
    rows, n = x.shape
    groups = n // DEPTH
    if groups < 2 * K:
        return torch.topk(x, K).values
    main = x[:, : groups * DEPTH].reshape(rows, DEPTH, groups)
    best = torch.topk(main.amax(1), K).indices
    candidates = main.gather(2, best[:, None, :].expand(rows, DEPTH, K)).reshape(rows, DEPTH * K)
    return torch.topk(torch.cat((candidates, x[:, groups * DEPTH :]), 1), K).values
