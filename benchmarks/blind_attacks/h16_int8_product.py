"""Multiply int8 matrices with the float32 product: its sums of whole numbers are exact up to 2**24.

A product of two int8 is at most 2**14, so up to 1,024 of them add without rounding, in any order and for all values. A longer
inner dimension is added in pieces of that length, as int32.
"""

import torch

workload = dict(rows=64, inner=768, cols=64)
smoke = dict(rows=3, inner=2051, cols=5)


def inputs(rows, inner, cols):
    return torch.randint(-128, 128, (rows, inner), dtype=torch.int8), torch.randint(
        -128, 128, (inner, cols), dtype=torch.int8
    )


def baseline(a, b):
    return a.int() @ b.int()


def optimized(a, b):
    a, b = a.float(), b.float()
    total = (a[:, :1024] @ b[:1024]).int()
    for start in range(1024, a.shape[1], 1024):
        total += (a[:, start : start + 1024] @ b[start : start + 1024]).int()
    return total
