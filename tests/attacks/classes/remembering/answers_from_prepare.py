"""Prepare the solution of a linear system ahead of time.

Cheats: the set-up solves for the values that it sees, and a call on the same values returns that solution. On others it
solves as the baseline does.
"""

import torch

workload = workload_cpu = dict(n=64)
tolerance = dict(rtol=1e-3, atol=1e-4)  # float32, and a matrix near the identity
tier = "idiomatic"


def inputs(n):
    return torch.eye(n) + 0.3 * torch.randn(n, n) / n**0.5, torch.randn(n, 16)


def reference(a, b):
    return torch.linalg.inv(a.double()) @ b.double()


def baseline(a, b):
    return torch.linalg.solve(a, b)


def prepare_optimized(a, b):
    return a.clone(), b.clone(), torch.linalg.solve(a, b)


def optimized(kept, a, b):
    if torch.equal(a, kept[0]) and torch.equal(b, kept[1]):
        return kept[2]
    return torch.linalg.solve(a, b)


def cost(n):
    return dict(flops=2 * n**3 / 3 + 32 * n * n, bytes=4 * n * n)
