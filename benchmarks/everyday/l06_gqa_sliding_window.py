"""Let scaled_dot_product_attention do grouped heads and the band mask.

The einsum version repeats the keys and values for every query head and writes scores, masked scores and probabilities.
"""

import math

import torch
from torch.nn.functional import scaled_dot_product_attention

WINDOW = 64

workload = dict(batch=1, heads=8, kv_heads=2, seq=384, dim=64)
smoke = dict(batch=2, heads=4, kv_heads=2, seq=77, dim=16)
tolerance = dict(rtol=1e-4, atol=2e-5)  # float32, averages of at most 64 values of order one
tier = "naive"


def inputs(batch, heads, kv_heads, seq, dim):
    q = torch.randn(batch, heads, seq, dim)
    k = torch.randn(batch, kv_heads, seq, dim)
    v = torch.randn(batch, kv_heads, seq, dim)
    return q, k, v


def band(seq, device):
    i = torch.arange(seq, device=device)
    distance = i[:, None] - i[None, :]
    return (distance >= 0) & (distance < WINDOW)


def reference(q, k, v):
    q, k, v = q.double(), k.double(), v.double()
    group = q.shape[1] // k.shape[1]
    out = torch.empty_like(q)
    for h in range(q.shape[1]):
        for t in range(q.shape[2]):
            lo = max(0, t - WINDOW + 1)
            keys, values = k[:, h // group, lo : t + 1], v[:, h // group, lo : t + 1]
            p = torch.softmax((keys @ q[:, h, t, :, None]).squeeze(-1) / math.sqrt(q.shape[-1]), -1)
            out[:, h, t] = (p[:, None] @ values).squeeze(1)
    return out


def baseline(q, k, v):
    group = q.shape[1] // k.shape[1]
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(~band(q.shape[2], q.device), float("-inf"))
    return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)


def optimized(q, k, v):
    return scaled_dot_product_attention(q, k, v, attn_mask=band(q.shape[2], q.device), enable_gqa=True)


def cost(batch, heads, kv_heads, seq, dim):
    return dict(flops=4 * batch * heads * seq * seq * dim, bytes=4 * batch * seq * dim * (2 * heads + 2 * kv_heads))
