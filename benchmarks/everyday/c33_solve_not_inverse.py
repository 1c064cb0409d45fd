"""Solve a linear system, do not multiply by the inverse of its matrix.

The inverse is a factorisation (2/3 n**3 operations) and then n solves (4/3 n**3), to be multiplied with a few
right-hand sides. solve stops after the factorisation and solves for those few: about a third of the work, and a
smaller error.
"""

import torch

workload = dict(n=2_048, sides=16)
workload_cpu = dict(n=256, sides=8)
smoke = dict(n=19, sides=3)
domain = dict(matrix="drawn")  # only drawn matrices are well-conditioned: eigenvalues in a disc of 0.5 around 2
layout = "any"  # LAPACK writes the answer by columns
tolerance = dict(rtol=1e-4, atol=1e-5)  # condition near 2: float32 factorisation errors of a few 1e-6, answers near 0.5
tier = "naive"


def inputs(n, sides):
    matrix = 2.0 * torch.eye(n) + 0.5 * torch.randn(n, n) / n**0.5
    return matrix, torch.randn(n, sides)


def reference(matrix, right):
    return torch.linalg.solve(matrix.double(), right.double())


def baseline(matrix, right):
    return torch.linalg.inv(matrix) @ right


def optimized(matrix, right):
    return torch.linalg.solve(matrix, right)


def cost(n, sides):
    factor = 2 * n**3 // 3
    solved = 2 * n**2 * sides
    return dict(flops=factor + solved, bytes=4 * (n**2 + 2 * n * sides), baseline_flops=2 * n**3 + solved)
