"""Attend in a sliding window with FlexAttention, not over a full mask.

A mask of length times length makes SDPA compute every product and throw most away. FlexAttention skips blocks outside
the window: at 4,096 tokens a row has 32 blocks of 128, and a window of 256 reaches into three of them at most.
"""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

workload = dict(heads=16, length=4_096, window=256)
smoke = dict(heads=2, length=256, window=50)
tolerance = dict(rtol=2e-2, atol=1e-2)  # bf16 averages of values near 1
tier = "idiomatic"
needs = dict(cuda=8.0)


def inputs(heads, length, window):
    q, k, v = (torch.randn(2, heads, length, 64, dtype=torch.bfloat16) for _ in range(3))
    return q, k, v, window


def inside(length, window):
    place = torch.arange(length)
    return (place[:, None] >= place) & (place[:, None] - place < window)


def reference(q, k, v, window):
    out = torch.empty_like(q, dtype=torch.float64)
    mask = inside(q.shape[2], window)
    for head in range(q.shape[1]):
        scores = q[:, head].double() @ k[:, head].double().mT / q.shape[-1] ** 0.5
        out[:, head] = scores.masked_fill(~mask, -torch.inf).softmax(-1) @ v[:, head].double()
    return out


def prepare_baseline(q, k, v, window):
    return inside(q.shape[2], window)


def baseline(mask, q, k, v, window):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def prepare_optimized(q, k, v, window):
    def near(batch, head, row, column):
        return (row >= column) & (row - column < window)

    blocks = create_block_mask(near, None, None, q.shape[2], k.shape[2], device=q.device)
    compiled = torch.compile(flex_attention, dynamic=False)
    compiled(q, k, v, block_mask=blocks)
    return compiled, blocks


def optimized(prepared, q, k, v, window):
    compiled, blocks = prepared
    return compiled(q, k, v, block_mask=blocks)


def cost(heads, length, window):
    pairs = 2 * heads * length
    return dict(
        flops=4 * pairs * window * 64,
        bytes=8 * pairs * 64,
        baseline_flops=4 * pairs * length * 64,
        optimized_flops=4 * pairs * (window + 128) * 64,
    )
