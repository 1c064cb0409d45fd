"""Keep the lower triangle with torch.tril, not by comparing row and column numbers.

The comparison writes a bool for each element, and where reads it beside the matrix. tril knows from the row where the
zeros begin: it copies the first part of each row and fills the rest, without looking at the upper half at all.
"""

import torch

workload = dict(size=8_192)
workload_cpu = dict(size=1_024)
smoke = dict(size=37)
tolerance = dict(rtol=0.0, atol=0.0)  # values are copied
tier = "idiomatic"


def inputs(size):
    return (torch.randn(size, size),)


def reference(matrix):
    answer = torch.zeros_like(matrix, dtype=torch.float64)
    for row in range(len(matrix)):
        answer[row, : row + 1] = matrix[row, : row + 1]
    return answer


def baseline(matrix):
    numbers = torch.arange(len(matrix), device=matrix.device)
    return torch.where(numbers[:, None] >= numbers[None, :], matrix, 0.0)


def optimized(matrix):
    return torch.tril(matrix)


def cost(size):
    n = size**2
    return dict(flops=0, bytes=6 * n, baseline_bytes=10 * n, optimized_bytes=6 * n)
