"""Get the positions of a mask from nonzero, not from a cumulative sum and a scatter.

The cumulative sum gives every element its place in the answer: an int64 for each element, written and read, and a
scatter of all positions, most of them into a slot that is thrown away. nonzero counts, then writes only the positions
that hold.
"""

import torch

workload = dict(n=4_000_000)
workload_cpu = dict(n=500_000)
smoke = dict(n=1_003)
tolerance = dict(rtol=0.0, atol=0.0)  # whole numbers
tier = "naive"


def inputs(n):
    return (torch.rand(n) < 0.2,)


def reference(mask):
    found = [place for place, holds in enumerate(mask.tolist()) if holds]
    return torch.tensor(found, dtype=torch.int64, device=mask.device)


def baseline(mask):
    places = mask.cumsum(0)
    count = int(places[-1])
    found = torch.empty(count + 1, dtype=torch.int64, device=mask.device)
    found[torch.where(mask, places - 1, count)] = torch.arange(len(mask), device=mask.device)
    return found[:count]


def optimized(mask):
    return mask.nonzero().squeeze(1)


def cost(n):
    found = 8 * n // 5
    return dict(flops=n, bytes=n + found, baseline_bytes=65 * n, optimized_bytes=2 * n + found)
