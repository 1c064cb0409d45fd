"""Gather the blocks of a paged KV cache with one index_select, not with a loop over the block table.

The loop makes a view of each block and hands all of them to cat: a few microseconds of Python and dispatch for a
block of a few kilobytes, and on a GPU a transfer of the table to the host first. index_select copies the same bytes
in one call.
"""

import torch

workload = dict(blocks=8_192, used=512, block=16, heads=8, dim=128)
workload_cpu = dict(blocks=512, used=128, block=16, heads=2, dim=64)
smoke = dict(blocks=13, used=5, block=4, heads=3, dim=7)
tolerance = dict(rtol=0.0, atol=0.0)  # a copy
tier = "naive"


def inputs(blocks, used, block, heads, dim):
    cache = torch.randn(blocks, block, heads, dim)
    table = torch.randperm(blocks)[:used].clone()
    return cache, table


def reference(cache, table):
    size = cache.shape[1]
    tokens = [cache[int(table[at // size]), at % size].double() for at in range(len(table) * size)]
    return torch.stack(tokens)


def baseline(cache, table):
    return torch.cat([cache[number] for number in table.tolist()])


def optimized(cache, table):
    return cache.index_select(0, table).flatten(0, 1)


def cost(blocks, used, block, heads, dim):
    moved = 2 * 4 * used * block * heads * dim
    return dict(flops=0, bytes=moved, baseline_bytes=moved, optimized_bytes=moved)
