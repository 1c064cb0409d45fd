"""Keep keys and values as 8-bit integers with a scale per token and head: the cache takes a fraction of the memory.

The cache grows with layers, tokens and sequences, and limits how many sequences a server can hold. A token's key in one
head is a short vector of similar numbers: one scale and 8 bits per number keep it within 0.4 % of its largest. Each
layer is converted back when it is read, so only one layer is ever wide.
Predicts: 16 bits become 8 and a scale per 128 numbers: 1.9x less memory, from float32 3.6x; temporaries take a part of
it.
No gain where: the context is short. In eager code it takes longer: the time is shown beside.
"""

import torch

workload = dict(layers=16, heads=8, tokens=16_384, dim=128, dtype="bfloat16")  # a cache of 1 GiB
workload_cpu = dict(layers=16, heads=4, tokens=1_024, dim=64, dtype="float32")  # a cache of 32 MiB
smoke = dict(layers=3, heads=3, tokens=77, dim=24, dtype="float32")
constant = ("w_k", "w_v")
claim = "memory"
# Results near 0.5; keys and values are rounded at 1 / 254 of their largest number.
tolerance = dict(rtol=5e-2, atol=5e-2)
lowers_precision = "int8"
tier = "idiomatic"
menu = ("inference", "out-of-memory")


def inputs(layers, heads, tokens, dim, dtype):
    kind, width = getattr(torch, dtype), heads * dim
    w_k, w_v = (torch.randn(layers, width, width, dtype=kind) / width**0.5 for _ in range(2))
    return torch.randn(tokens, width, dtype=kind), 2 * torch.randn(layers, heads, dim, dtype=kind), w_k, w_v


def by_head(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(0, 1)  # head, token, dim


def reference(x, q, w_k, w_v):
    rows = []
    for queries, to_key, to_value in zip(q.double(), w_k.double(), w_v.double(), strict=True):
        keys, values = by_head(x.double() @ to_key, len(queries)), by_head(x.double() @ to_value, len(queries))
        scores = (keys @ queries[..., None])[..., 0] / keys.shape[-1] ** 0.5
        rows.append((torch.softmax(scores, -1)[:, None] @ values)[:, 0])
    return torch.stack(rows)


def fill_and_read(x, q, w_k, w_v, store, restore):
    """Prefill writes the cache of all layers; then one query per layer reads it."""
    heads, cache = q.shape[1], []
    for to_key, to_value in zip(w_k, w_v, strict=True):
        cache.append((store(by_head(x @ to_key, heads)), store(by_head(x @ to_value, heads))))
    attend = torch.nn.functional.scaled_dot_product_attention
    return torch.stack(
        [attend(one[:, None], restore(k), restore(v))[:, 0] for one, (k, v) in zip(q, cache, strict=True)]
    )


def baseline(x, q, w_k, w_v):
    return fill_and_read(x, q, w_k, w_v, store=lambda wide: wide, restore=lambda wide: wide)


def quantised(wide):
    """Numbers from -127 to 127, and what one of their steps is worth, per token and head.

    A step is rounded to the type of the cache: the largest number may come out as 128, which int8 would turn into -128.
    """
    step = torch.linalg.vector_norm(wide, float("inf"), dim=-1, keepdim=True) / 127
    step = step.clamp_min(torch.finfo(wide.dtype).tiny)
    return (wide / step).round_().clamp_(-127, 127).to(torch.int8), step


def restored(stored):
    numbers, step = stored
    return numbers * step


def optimized(x, q, w_k, w_v):
    return fill_and_read(x, q, w_k, w_v, store=quantised, restore=restored)


def cost(layers, heads, tokens, dim, dtype):
    size = getattr(torch, dtype).itemsize
    kept, layer = 2 * layers, 1  # in units of one layer's keys: those that are kept, and those at work
    narrow = (1 + size / dim) / size
    return dict(predicted_optimized=(kept + layer) / (kept * narrow + 3 * layer))
