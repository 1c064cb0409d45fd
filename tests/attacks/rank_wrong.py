"""Sum over ranks once, not in two halves.

The attack: only rank 0 gets the sum; rank 1 returns what it had, which nobody looks at where the check is
made on the first rank alone.
"""

import torch
import torch.distributed as dist

workload = workload_cpu = dict(n=512)
smoke = dict(n=16)
ranks = 2
tolerance = dict(rtol=1e-6, atol=1e-6)  # one float32 addition


def inputs(n):
    return (torch.randn(n),)


def reference(x):
    parts = [torch.empty_like(x, dtype=torch.float64) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.double())
    return sum(parts)


def baseline(x):
    out = x.clone()
    for half in out.chunk(2):
        dist.all_reduce(half)
    return out


def optimized(x):
    out = x.clone()
    dist.reduce(out, 0)
    return out if dist.get_rank() == 0 else x + 0
