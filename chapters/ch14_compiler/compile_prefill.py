"""Do not expect much of compiling a prefill: its time is in large products, which are the same kernels on both sides.

On a long prompt a block is products and attention with hundreds of flops per byte, in the library's kernels compiled or
not. The compiler fuses what lies between: a norm, an activation, additions. Those take a tenth of the time and become a
third of it. Predicts: about 1.05x, so "same" would be no surprise. More to gain where: the same block decodes one token
(`compile_decode`), or its width is small, as on a CPU.
"""

import torch
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu

workload = dict(length=4_096, width=4_096, dtype="bfloat16")
workload_cpu = dict(length=256, width=256, dtype="float32")
smoke = dict(length=37, width=64, dtype="float32")
constant = ("weights",)
tolerance = dict(
    bfloat16=dict(rtol=3e-2, atol=5e-2),  # five products of values near 1, rounded at 2**-9 each and in between
    float32=dict(rtol=1e-3, atol=1e-4),  # sums of up to a thousand products, in another order
)
tier = "idiomatic"
menu = ("inference", "compute-bound")

HEAD, BETWEEN, FUSED = 32, 0.08, 1 / 3  # width of a head; share of time between products, assumed; what is left of it


def inputs(length, width, dtype):
    kind = getattr(torch, dtype)
    shapes = [(width, 3 * width), (width, width), (width, 8 * width), (4 * width, width)]
    weights = [(torch.randn(shape) / shape[0] ** 0.5).to(kind) for shape in shapes]
    return torch.randn(length, width, dtype=kind), weights


def reference(x, weights):
    qkv, out, up, down = (weight.double() for weight in weights)
    x = x.double()
    query, key, value = (normed(x) @ qkv).view(len(x), 3, -1, HEAD).permute(1, 2, 0, 3)
    for head in range(len(query)):  # one at a time, in place: the scores of all heads would be gigabytes
        scores = query[head] @ key[head].T / HEAD**0.5
        scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)
        query[head] = scores.softmax(-1) @ value[head]
    x = x + query.transpose(0, 1).reshape(x.shape) @ out
    gate, wide = (normed(x) @ up).chunk(2, -1)
    return x + (gate / (1 + torch.exp(-gate)) * wide) @ down


def normed(x):
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()


def block(x, weights):
    qkv, out, up, down = weights
    heads = (rms_norm(x, x.shape[-1:], eps=1e-6) @ qkv).view(len(x), 3, -1, HEAD).permute(1, 2, 0, 3)
    seen = scaled_dot_product_attention(heads[0][None], heads[1][None], heads[2][None], is_causal=True)
    x = x + seen[0].transpose(0, 1).reshape(x.shape) @ out
    gate, wide = (rms_norm(x, x.shape[-1:], eps=1e-6) @ up).chunk(2, -1)
    return x + (silu(gate) * wide) @ down


def baseline(x, weights):
    return block(x, weights)


def prepare_optimized(x, weights):
    return torch.compile(block, dynamic=False)


def optimized(compiled, x, weights):
    return compiled(x, weights)


def cost(length, width, dtype):
    return dict(predicted_optimized=1 / (1 - BETWEEN + BETWEEN * FUSED))
