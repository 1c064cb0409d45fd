"""Multiply int8 matrices with the float units, in pieces whose sums are exact in a float."""

import torch

workload = workload_cpu = dict(m=32, k=4096, n=64)
smoke = dict(m=7, k=1203, n=11)


def inputs(m, k, n):
    return (torch.randint(-128, 128, (m, k), dtype=torch.int8), torch.randint(-128, 128, (k, n), dtype=torch.int8))


def baseline(a, b):
    return a.int() @ b.int()


def optimized(a, b):
    total = torch.zeros(a.shape[0], b.shape[1], dtype=torch.int32)
    for i in range(0, a.shape[1], 1024):  # 1024 * 128 * 128 = 2**24
        total += (a[:, i : i + 1024].float() @ b[i : i + 1024].float()).int()
    return total
