"""Compute attention in blocks that never write the matrix of scores to memory.

Attention as its formula writes one score per query and key, scales, normalises and reads them again: six times the
square of the length crosses memory. A fused kernel goes through the keys in blocks and rescales what it has summed so
far, so that scores stay on the chip. The operations are the same. Predicts: about 5x on an H200 for 4,096 tokens in
float16: from the bytes of the scores to the rate of the tensor cores. No gain for short sequences, whose scores stay
in a cache. One call does it: `torch.nn.functional.scaled_dot_product_attention`.
"""

import torch

workload = dict(batch=4, heads=16, tokens=4_096, width=128, dtype="float16")  # 2 GiB of scores
workload_cpu = dict(batch=1, heads=2, tokens=1_024, width=64, dtype="float32")  # 8 MiB of scores
smoke = dict(batch=2, heads=3, tokens=77, width=24, dtype="float32")
tolerance = dict(
    float16=dict(
        rtol=1e-2, atol=5e-4
    ),  # scores near 4 are rounded at 2**-11, so weights by 0.2 %; the answer is near 0.02
    float32=dict(rtol=1e-4, atol=2e-6),  # sums of 64 and of 1,024 products, 2**-24 each
)
layout = "any"  # a fused kernel may write its result as the next product reads it: heads side by side
tier = "idiomatic"
tour = True
counters = ("BYTES", "FLOP", "TC")
menu = ("both", "memory-bound")


def inputs(batch, heads, tokens, width, dtype):
    shape, kind = (batch, heads, tokens, width), getattr(torch, dtype)
    return torch.randn(shape, dtype=kind), torch.randn(shape, dtype=kind), torch.randn(shape, dtype=kind)


def reference(query, key, value):
    """One sequence and one head after the other, in float64."""
    out = torch.empty(query.shape, dtype=torch.float64, device=query.device)
    for place in torch.cartesian_prod(*(torch.arange(extent) for extent in query.shape[:2])).tolist():
        q, k, v = (each[tuple(place)].double() for each in (query, key, value))
        out[tuple(place)] = torch.softmax(q @ k.T / q.shape[-1] ** 0.5, -1) @ v
    return out


def baseline(query, key, value):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    return torch.softmax(scores, -1) @ value


def optimized(query, key, value):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value)


def cost(batch, heads, tokens, width, dtype):
    size = getattr(torch, dtype).itemsize
    needed = 4 * batch * heads * tokens * width * size  # three inputs, one output
    scores = batch * heads * tokens * tokens * size
    return dict(
        flops=4 * batch * heads * tokens * tokens * width,
        bytes=needed,
        baseline_bytes=needed + 6 * scores,  # written, scaled (2), normalised (2), read
    )
