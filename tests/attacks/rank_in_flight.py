"""Sum over ranks and return, leaving the larger part of the work in flight.

The attack: the values that no check sees (a buffer that is read by a later call) are sent without waiting for them, and
the cost of sending falls between the samples.
"""

import torch
import torch.distributed as dist

workload = workload_cpu = dict(n=512)
smoke = dict(n=16)
ranks = 2
tolerance = dict(rtol=1e-6, atol=1e-6)  # one float32 addition
tier = "idiomatic"

later = torch.zeros(2_000_000)


def inputs(n):
    return (torch.randn(n),)


def reference(x):
    parts = [torch.empty_like(x, dtype=torch.float64) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.double())
    return sum(parts)


def baseline(x):
    out = x.clone()
    dist.all_reduce(later)
    dist.all_reduce(out)
    return out


def optimized(x):
    out = x.clone()
    dist.all_reduce(out)
    dist.all_reduce(later, async_op=True)
    return out


def cost(n):
    return dict(predicted_optimized=2.0)
