"""Find the largest eigenvalue by power iteration.

Cheats: the vector of the last call is kept as the start of the next. It converges in fewer steps only because calls are
about like matrices, and how many steps a call takes depends on the call before.
"""

import torch

workload = workload_cpu = dict(n=64)
tolerance = dict(rtol=1e-3, atol=0.0)  # the iteration stops at a change of 1e-6
tier = "idiomatic"


def inputs(n):
    axis = torch.ones(n) / n**0.5
    noise = torch.randn(n, n) / n**0.5
    return (10 * torch.outer(axis, axis) + 0.5 * (noise + noise.T),)


def reference(matrix):
    return torch.linalg.eigvalsh(matrix.double())[-1]


def iterate(matrix, vector):
    value = 0.0
    for _ in range(200):
        vector = matrix @ vector
        last, value = value, float(vector.norm())
        vector /= value
        if abs(value - last) < 1e-6 * value:
            break
    return value, vector


def baseline(matrix):
    start = torch.zeros(len(matrix))
    start[0] = 1.0
    return iterate(matrix, start)[0]


LAST = {}


def optimized(matrix):
    start = LAST.get(len(matrix))
    if start is None:
        start = torch.zeros(len(matrix))
        start[0] = 1.0
    value, LAST[len(matrix)] = iterate(matrix, start)
    return value


def cost(n):
    return dict(predicted_optimized=1.5)
