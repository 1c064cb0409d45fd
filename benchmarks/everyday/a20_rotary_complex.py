"""Apply rotary position embeddings as one complex product instead of four real ones.

Rotating a pair by an angle is a product with exp(i angle). In pairs it takes four products, two sums and a stack, each
with its own pass; view_as_complex costs nothing and the product reads and writes the array once.
"""

import torch

workload = dict(batch=8, heads=32, tokens=2_048, head=128)
workload_cpu = dict(batch=2, heads=8, tokens=256, head=64)
smoke = dict(batch=1, heads=2, tokens=13, head=6)
constant = ("angles",)
tolerance = dict(rtol=1e-5, atol=2e-6)  # two float32 products and a sum of values near 1; sines rounded at 2**-24
tier = "idiomatic"


def inputs(batch, heads, tokens, head):
    frequency = 10_000.0 ** (-torch.arange(0, head, 2) / head)
    angles = torch.outer(torch.arange(tokens).float(), frequency)
    return torch.randn(batch, heads, tokens, head), angles


def reference(x, angles):
    cos, sin = angles.double().cos(), angles.double().sin()
    out = x.double().clone()
    for pair in range(angles.shape[1]):
        a, b = x[..., 2 * pair].double(), x[..., 2 * pair + 1].double()
        out[..., 2 * pair] = a * cos[:, pair] - b * sin[:, pair]
        out[..., 2 * pair + 1] = a * sin[:, pair] + b * cos[:, pair]
    return out


def prepare_baseline(x, angles):
    return angles.cos(), angles.sin()


def baseline(tables, x, angles):
    cos, sin = tables
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def prepare_optimized(x, angles):
    return torch.polar(torch.ones_like(angles), angles)


def optimized(turns, x, angles):
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).flatten(-2)


def cost(batch, heads, tokens, head):
    n = batch * heads * tokens * head
    return dict(flops=3 * n, bytes=8 * n, baseline_bytes=30 * n, optimized_bytes=8 * n)
