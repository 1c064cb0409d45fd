"""Gather into one buffer that exists: a list of parts is allocated, filled and copied together at every step.

`all_gather` fills a list of tensors, one for each rank: the backend gathers into a buffer of its own and copies each
part out of it, and `torch.cat` copies them once more to make the whole. `all_gather_into_tensor` writes the whole where
it is wanted. Over the link goes the same; saved are two copies, each a read and a write, through a local memory that is
some ten times as wide as the link. On two ranks half of the whole crosses the link, which is 5 of these times against
4 for the copies: 1.8x. gloo gathers through a buffer of its own in either case, so on a CPU only the list and its
`cat` are saved, and 9 of these times against 7 remain: 1.3x. The latency of a small message hides even that.
"""

import torch
import torch.distributed as dist

LINK = 10  # times that local memory is wider

workload = dict(elements=33_554_432)  # 128 MiB from each rank: the parameters of a layer or two
workload_cpu = dict(elements=131_072)  # 512 KiB
smoke = dict(elements=777)
ranks = 2
tolerance = dict(rtol=0, atol=0)  # moved, not computed
tier = "idiomatic"
menu = ("training", "communication-bound")


def inputs(elements):
    return (torch.randn(elements),)


def reference(shard):
    whole = torch.zeros(dist.get_world_size(), shard.numel(), dtype=torch.float64)
    whole[dist.get_rank()] = shard
    dist.all_reduce(whole)
    return whole.view(-1)


def baseline(shard):
    parts = [torch.empty_like(shard) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, shard)
    return torch.cat(parts)


def prepare_optimized(shard):
    return torch.empty(dist.get_world_size() * shard.numel())


def optimized(whole, shard):
    dist.all_gather_into_tensor(whole, shard)
    return whole


def cost(elements):
    crossing = LINK * (ranks - 1) / ranks
    return dict(predicted_optimized=(crossing + 4) / crossing)
