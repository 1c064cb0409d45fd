"""Solve symmetric positive definite systems by Cholesky, not by a general factorisation.

LU needs 2/3 n**3 operations and a search for pivots. Cholesky uses the symmetry and needs no pivots: 1/3 n**3.
"""

import torch

workload = dict(n=4_096, sides=16)
workload_cpu = dict(n=384, sides=8)
smoke = dict(n=21, sides=3)
domain = dict(matrix="drawn")  # symmetric positive definite, and well-conditioned
layout = "any"  # LAPACK writes the answer by columns
tolerance = dict(rtol=1e-4, atol=1e-5)  # condition near 5: float32 factorisation errors of a few 1e-6, answers near 0.5
tier = "idiomatic"


def inputs(n, sides):
    root = torch.randn(n, n)
    return torch.eye(n) + root @ root.T / n, torch.randn(n, sides)


def reference(matrix, right):
    return torch.linalg.inv(matrix.double()) @ right.double()


def baseline(matrix, right):
    return torch.linalg.solve(matrix, right)


def optimized(matrix, right):
    return torch.cholesky_solve(right, torch.linalg.cholesky(matrix))


def cost(n, sides):
    solved = 2 * n**2 * sides
    return dict(flops=n**3 // 3 + solved, bytes=4 * (n**2 + 2 * n * sides), baseline_flops=2 * n**3 // 3 + solved)
