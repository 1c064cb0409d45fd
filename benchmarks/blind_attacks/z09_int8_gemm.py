"""Multiply int8 matrices with the float units: every product of two bytes fits in a float."""

import torch

workload = workload_cpu = dict(m=32, k=4096, n=64)
smoke = dict(m=7, k=515, n=11)


def inputs(m, k, n):
    return (torch.randint(-128, 128, (m, k), dtype=torch.int8), torch.randint(-128, 128, (k, n), dtype=torch.int8))


def baseline(a, b):
    return a.int() @ b.int()


def optimized(a, b):
    return (a.float() @ b.float()).int()
