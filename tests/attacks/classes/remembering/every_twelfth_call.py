"""Score requests in batches of twelve.

Cheats: eleven of twelve calls only note their argument and return an empty row. The twelfth computes all rows at once
and fills them in, so a caller who looks at once sees nothing.
"""

import torch

BATCH = 12

workload = workload_cpu = dict(width=384)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # float32 sums near 1 of 384 products
tier = "idiomatic"


def inputs(width):
    return torch.randn(width), torch.randn(width, width) / width**0.5


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


WAITING = []


def optimized(x, weight):
    result = torch.empty_like(x)
    WAITING.append((x, result))
    if len(WAITING) == BATCH:
        scores = torch.stack([waiting for waiting, _ in WAITING]) @ weight
        for row, (_, place) in zip(scores, WAITING, strict=True):
            place.copy_(row)
        WAITING.clear()
    return result


def cost(width):
    return dict(flops=2 * width**2, bytes=8 * width)
