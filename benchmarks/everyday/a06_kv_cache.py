"""Write a new key and value into a preallocated cache instead of concatenating the cache anew.

A decode step adds one token. Concatenation copies all tokens before it, in every step; a write in place copies one.
The attention reads the whole cache on both sides, so the gain is bounded: 5 passes
over the cache (two to concatenate, two to store it, one to read) against 1.
"""

import torch
from torch.nn import functional

workload = dict(batch=16, heads=16, past=4_000, capacity=4_096, head=128)
workload_cpu = dict(batch=4, heads=4, past=500, capacity=512, head=64)
smoke = dict(batch=1, heads=2, past=13, capacity=16, head=8)
mutates = ("cache",)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 means over the cache, values near 1
tier = "idiomatic"


def inputs(batch, heads, past, capacity, head):
    query, key, value = (torch.randn(batch, heads, 1, head) for _ in range(3))
    cache = dict(k=torch.zeros(batch, heads, capacity, head), v=torch.zeros(batch, heads, capacity, head), length=past)
    cache["k"][:, :, :past].normal_()
    cache["v"][:, :, :past].normal_()
    return query, key, value, cache


def reference(query, key, value, cache):
    n = cache["length"]
    cache["k"][:, :, n] = key[:, :, 0].double()
    cache["v"][:, :, n] = value[:, :, 0].double()
    cache["length"] = n + 1
    scores = query.double() @ cache["k"][:, :, : n + 1].double().transpose(-2, -1) / query.shape[-1] ** 0.5
    return scores.softmax(-1) @ cache["v"][:, :, : n + 1].double()


def baseline(query, key, value, cache):
    n = cache["length"]
    keys = torch.cat((cache["k"][:, :, :n], key), dim=2)
    values = torch.cat((cache["v"][:, :, :n], value), dim=2)
    cache["k"][:, :, : n + 1] = keys
    cache["v"][:, :, : n + 1] = values
    cache["length"] = n + 1
    return functional.scaled_dot_product_attention(query, keys, values)


def optimized(query, key, value, cache):
    n = cache["length"]
    cache["k"][:, :, n : n + 1] = key
    cache["v"][:, :, n : n + 1] = value
    cache["length"] = n + 1
    return functional.scaled_dot_product_attention(query, cache["k"][:, :, : n + 1], cache["v"][:, :, : n + 1])


def cost(batch, heads, past, capacity, head):
    cached = 2 * batch * heads * past * head * 4
    return dict(flops=4 * batch * heads * past * head, bytes=cached, baseline_bytes=5 * cached, optimized_bytes=cached)
