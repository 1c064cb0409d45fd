"""Attention with autocast to bfloat16 that says so, from a script with warnings."""

import warnings
import torch
import torch.nn.functional as F
import perfproof

warnings.warn("benchmarking on this machine")


def attend(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def attend_amp(q, k, v):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return F.scaled_dot_product_attention(q.bfloat16(), k.bfloat16(), v.bfloat16()).float()


draw = lambda: tuple(torch.randn(2, 4, 64, 32) for _ in range(3))
answer = perfproof.compare(
    attend, attend_amp, draw, effort="quick", lowers_precision="bf16", tolerance=dict(rtol=3e-2, atol=3e-2)
)
print(answer)
print(answer.status)
