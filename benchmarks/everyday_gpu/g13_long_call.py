"""Add two batches before a product with the same weights, not after: a call of seconds becomes one of half as many.

Both products read the same matrix and cost the same; the sum of the inputs costs next to nothing.
"""

import torch

workload = dict(size=32_768)
workload_cpu = dict(size=256)
smoke = dict(size=70)
constant = ("weights",)
tolerance = dict(rtol=1e-4, atol=5e-2)  # fp32 sums of 32,768 products near 1: 181, rounded at 2**-24 in any order
tier = "naive"


def constants(size):
    return torch.randn(size, size)


def inputs(size):
    return torch.randn(size, size), torch.randn(size, size)


def reference(first, second, weights):
    out = torch.empty_like(first, dtype=torch.float64)
    for rows in range(0, len(first), 4_096):
        part = slice(rows, rows + 4_096)
        out[part] = (first[part].double() + second[part].double()) @ weights.double()
    return out


def baseline(first, second, weights):
    return first @ weights + second @ weights


def optimized(first, second, weights):
    return (first + second) @ weights


def cost(size):
    one = 2 * size**3
    return dict(flops=one, bytes=16 * size * size, baseline_flops=2 * one, optimized_flops=one)
