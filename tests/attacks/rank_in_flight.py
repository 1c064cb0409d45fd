"""Sum over ranks and return, leaving the larger part of the work in flight.

The attack: the values that no check sees (a buffer that is read by a later call) are sent without waiting for them, and
the cost of sending falls between the samples.
"""

import torch
import torch.distributed as dist

workload = workload_cpu = dict(n=512)
smoke = dict(n=16)
ranks = 2
inputs = reference = tolerance = "rank_wrong"

later = torch.zeros(2_000_000)


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
