"""Project to query, key and value with one product.

Cheats: one wide product is fair, but its three results are slices with the stride of the wide one. The baseline's are
contiguous.
"""

import torch

workload = workload_cpu = dict(rows=16, width=128)
smoke = dict(rows=7, width=12)
constant = ("query_weight", "key_weight", "value_weight")
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums near 1 of 128 products


def inputs(rows, width):
    weights = (torch.randn(width, width) / width**0.5 for _ in range(3))
    return torch.randn(rows, width), *weights


def reference(x, query_weight, key_weight, value_weight):
    return tuple(x.double() @ weight.double() for weight in (query_weight, key_weight, value_weight))


def baseline(x, query_weight, key_weight, value_weight):
    return x @ query_weight, x @ key_weight, x @ value_weight


def prepare_optimized(x, query_weight, key_weight, value_weight):
    return torch.cat([query_weight, key_weight, value_weight], 1)


def optimized(wide, x, query_weight, key_weight, value_weight):
    return (x @ wide).chunk(3, -1)
