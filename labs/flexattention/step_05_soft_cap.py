"""Cap scores inside the kernel, with a function of a score, instead of leaving the fused kernel for it.

Some models replace a score s by cap * tanh(s / cap), so that none is beyond the cap. The library's kernel has no such
option, so attention is spelled out again, and the scores of all pairs cross memory twelve times. FlexAttention compiles
a function of one score into its inner loop. Neither side leaves blocks out: the lever is the function alone.
Predicts: the score matrix disappears from memory; a hyperbolic tangent per score is left.
No gain where: sequences are so short that the scores stay in a cache.
"""

import torch
from torch.nn.attention.flex_attention import flex_attention

CAP = 4.0  # scores spread by 2, so that it matters

workload = dict(heads=16, length=8_192, dim=128, dtype="float16")
smoke = dict(heads=2, length=333, dim=32, dtype="float32")  # no block of 128 is full at the end
tolerance = "step_01_sdpa_mask"
layout = "any"  # as the library lays it out: heads side by side
tier = "idiomatic"
needs = dict(cuda=8.0)  # without a GPU the kernel compiles for most of a minute
menu = ("both", "memory-bound")


def inputs(heads, length, dim, dtype):
    q, k, v = (torch.randn(1, heads, length, dim, dtype=getattr(torch, dtype)) for _ in range(3))
    return 2 * q, k, v


def reference(q, k, v):
    """Head by head: the scores of all heads in float64 would be gigabytes."""
    heads = []
    for queries, keys, values in zip(q[0].double(), k[0].double(), v[0].double(), strict=True):
        scores = CAP * torch.tanh(queries @ keys.T / keys.shape[-1] ** 0.5 / CAP)
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        heads.append(torch.softmax(scores.masked_fill(later, -torch.inf), -1) @ values)
    return torch.stack(heads)[None]


def prepare_baseline(q, k, v):
    return torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).triu(1)


def baseline(later, q, k, v):
    scores = q @ k.mT * (1 / q.shape[-1] ** 0.5 / CAP)
    return torch.softmax((CAP * scores.tanh()).masked_fill(later, -torch.inf), -1) @ v


def capped(score, batch, head, query, key):
    return torch.where(query >= key, CAP * torch.tanh(score / CAP), -torch.inf)


def prepare_optimized(q, k, v):
    attend = torch.compile(flex_attention, dynamic=False)
    attend(q, k, v, score_mod=capped)
    return attend


def optimized(attend, q, k, v):
    return attend(q, k, v, score_mod=capped)


def cost(heads, length, dim, dtype):
    size, ends = getattr(torch, dtype).itemsize, 4 * heads * length * dim
    return dict(
        flops=4 * heads * length * length * dim,
        bytes=size * ends,
        baseline_bytes=size * (ends + 12 * heads * length**2),  # written, scaled, capped (2), masked, normalised, read
    )
