"""Stack the query heads of a group as rows of one product, instead of repeating keys and values for each.

In grouped-query attention several query heads share one key-value head. Repeating keys and values to as many heads
makes attention simple and moves the cache 2 x group + 1 times at every decode step. At decode each head has one
query, so the heads of a group can be rows against the one key-value head they share: the cache is read once.
Predicts: 2 x 4 + 1 passes become 1, so 9x for a group of 4.
No gain where: prefill, which computes much more than it moves.
"""

import torch

workload = dict(batch=32, kv_heads=8, group=4, context=4_096, dim=128, dtype="float16")  # 512 MiB of keys and values
workload_cpu = dict(batch=2, kv_heads=2, group=4, context=2_048, dim=64, dtype="float32")
smoke = dict(batch=3, kv_heads=2, group=3, context=77, dim=24, dtype="float32")
tolerance = dict(
    float16=dict(rtol=5e-3, atol=5e-3),  # results near 0.5; weights and output are rounded at 2**-11 (0.05 %)
    float32=dict(rtol=1e-4, atol=1e-5),  # exponentials of sums of products, rounded at 2**-24 each
)
tier = "idiomatic"
menu = ("inference", "memory-bound")


def inputs(batch, kv_heads, group, context, dim, dtype):
    kind = getattr(torch, dtype)
    q = 3 * torch.randn(
        batch, kv_heads * group, dim, dtype=kind
    )  # scores spread by 3: few keys have most of the weight
    k, v = (torch.randn(batch, kv_heads, context, dim, dtype=kind) for _ in range(2))
    return q, k, v


def reference(q, k, v):
    group = q.shape[1] // k.shape[1]
    heads = []
    for head in range(q.shape[1]):
        keys, values = k[:, head // group].double(), v[:, head // group].double()
        scores = (keys @ q[:, head, :, None].double())[..., 0] / keys.shape[-1] ** 0.5
        heads.append((torch.softmax(scores, -1)[:, None] @ values)[:, 0])
    return torch.stack(heads, 1)


def baseline(q, k, v):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    return torch.nn.functional.scaled_dot_product_attention(q[:, :, None], keys, values)[:, :, 0]


def optimized(q, k, v):
    rows = q.unflatten(1, (k.shape[1], -1))  # batch, key-value head, the group's queries, dim
    return torch.nn.functional.scaled_dot_product_attention(rows, k, v).flatten(1, 2)


def optimized_torch(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q[:, :, None], k, v, enable_gqa=True)[:, :, 0]


def cost(batch, kv_heads, group, context, dim, dtype):
    size, cache, queries = (
        getattr(torch, dtype).itemsize,
        2 * batch * kv_heads * context * dim,
        batch * kv_heads * group * dim,
    )
    return dict(
        flops=4 * queries * context,
        bytes=size * (cache + 2 * queries),
        baseline_bytes=size * ((2 * group + 1) * cache + 2 * queries),
    )
