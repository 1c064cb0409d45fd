"""In grouped-query attention, expand the keys of a group as a view; repeat_interleave copies them for every head.

A group of query heads shares one head of keys and values. repeat_interleave writes the whole cache once per query
head. With the groups as the batch, expand gives the same heads a stride of zero and copies nothing.
"""

import torch
from torch.nn import functional

workload = dict(batch=8, heads=32, groups=8, tokens=1, past=4_096, head=128)
workload_cpu = dict(batch=2, heads=16, groups=4, tokens=1, past=512, head=32)
smoke = dict(batch=1, heads=4, groups=2, tokens=3, past=11, head=8)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 means over the cache, values near 1
tier = "idiomatic"


def inputs(batch, heads, groups, tokens, past, head):
    query = torch.randn(batch, heads, tokens, head)
    return query, torch.randn(batch, groups, past, head), torch.randn(batch, groups, past, head)


def reference(query, key, value):
    each = query.shape[1] // key.shape[1]
    outs = []
    for h in range(query.shape[1]):
        q, k, v = query[:, h].double(), key[:, h // each].double(), value[:, h // each].double()
        outs.append((q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v)
    return torch.stack(outs, dim=1)


def baseline(query, key, value):
    each = query.shape[1] // key.shape[1]
    key = key.repeat_interleave(each, dim=1)
    value = value.repeat_interleave(each, dim=1)
    return functional.scaled_dot_product_attention(query, key, value)


def optimized(query, key, value):
    batch, heads, tokens, head = query.shape
    groups = key.shape[1]
    query = query.reshape(batch * groups, heads // groups, tokens, head)
    key = key.flatten(0, 1)[:, None].expand(-1, heads // groups, -1, -1)
    value = value.flatten(0, 1)[:, None].expand(-1, heads // groups, -1, -1)
    return functional.scaled_dot_product_attention(query, key, value).reshape(batch, heads, tokens, head)


def cost(batch, heads, groups, tokens, past, head):
    cached = 8 * batch * groups * past * head
    repeated = cached * heads // groups
    flops = 4 * batch * heads * tokens * past * head
    return dict(flops=flops, bytes=cached, baseline_bytes=cached + 2 * repeated, optimized_bytes=cached)
