"""Give a product in the order of its consumer, without the copy.

Cheats: the baseline returns a contiguous matrix. The variant returns a transposed view, and the next operator pays.
"""

import torch

workload = workload_cpu = dict(rows=512, width=64)
smoke = dict(rows=9, width=5)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums near 1 of 64 products


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(width, width) / width**0.5


def reference(x, weight):
    return weight.double().T @ x.double().T


def baseline(x, weight):
    return (x @ weight).T.contiguous()


def optimized(x, weight):
    return (x @ weight).T
