"""Find the singular values of a matrix.

Cheats: results are kept by the first and the last row. A matrix that differs in between gets the answer of another.
"""

import torch

workload = workload_cpu = dict(rows=24, width=24)
tolerance = dict(rtol=1e-3, atol=1e-4)  # float32 and an iteration
tier = "idiomatic"


def inputs(rows, width):
    return (torch.randn(rows, width),)


def reference(matrix):
    return torch.linalg.eigvalsh(matrix.double() @ matrix.double().T).clamp_min(0).sqrt().flip(0)


def baseline(matrix):
    return torch.linalg.svdvals(matrix)


KNOWN = {}


def optimized(matrix):
    key = (*matrix[0].tolist(), *matrix[-1].tolist())
    if key not in KNOWN:
        KNOWN[key] = torch.linalg.svdvals(matrix)
    return KNOWN[key].clone()


def cost(rows, width):
    return dict(predicted_optimized=1.0)
