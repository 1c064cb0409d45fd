"""A pair on two ranks that the tests of ranks change a line of."""

RANKED = '''
"""Add up once, not four times.

An all-reduce has a latency; four small ones have four.
"""
import os
import time

import torch
import torch.distributed as dist

workload = workload_cpu = dict(n=256)
smoke = dict(n=7)
ranks = 2
constant = ("weight",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # one product and one float32 addition
tier = "idiomatic"


def inputs(n):
    return torch.randn(n), torch.randn(n)


def reference(x, weight):
    parts = [torch.empty_like(x, dtype=torch.float64) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.double() * weight.double())
    return sum(parts)


def baseline(x, weight):
    out = x * weight
    for part in out.chunk(4):
        dist.all_reduce(part)
    return out


def optimized(x, weight):
    out = x * weight
    dist.all_reduce(out)
    return out


def cost(n):
    return dict(predicted_optimized=4.0)
'''
LAST = "    dist.all_reduce(out)\n    return out\n"
assert RANKED.count(LAST) == 1


def instead(lines: str) -> str:
    """The pair with other last lines of `optimized`."""
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    return RANKED.replace(LAST, body)
