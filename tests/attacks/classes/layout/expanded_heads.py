"""Repeat keys for the heads of grouped-query attention.

Cheats: the baseline repeats rows in memory, and the variant returns a view with a stride of zero.
"""

import torch

workload = workload_cpu = dict(groups=4, heads=8, tokens=128, width=32)
smoke = dict(groups=2, heads=3, tokens=7, width=5)
constant = ("heads",)
tolerance = dict(rtol=1e-6, atol=1e-7)  # one float32 product


def inputs(groups, heads, tokens, width):
    return torch.randn(groups, tokens, width), heads


def reference(key, heads):
    return torch.stack([torch.stack([group.double() * 0.125] * heads) for group in key])


def baseline(key, heads):
    return (key * 0.125)[:, None].repeat(1, heads, 1, 1)


def optimized(key, heads):
    groups, tokens, width = key.shape
    return (key * 0.125)[:, None].expand(groups, heads, tokens, width)
