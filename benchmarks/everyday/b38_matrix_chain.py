"""Multiply a chain of matrices from its thin end.

A @ B @ C works from the left: with square A and B and a thin C that is one full product of 2 n^3 flops and one thin
one. A @ (B @ C) is two thin ones of 2 n^2 k each. With n = 512 and k = 8 that is 273 MFLOP against 8.4, so flops
predict 32x; thin products are bound by reading A and B, so expect less.
"""

import torch

workload = dict(size=4_096, thin=16)
workload_cpu = dict(size=512, thin=8)
smoke = dict(size=37, thin=3)
tolerance = dict(rtol=1e-4, atol=2e-5)  # two float32 products in a row; results near 1 from sums of up to 4,096 terms
tier = "naive"


def inputs(size, thin):
    a = torch.randn(size, size) / size**0.5  # keeps the results near 1
    b = torch.randn(size, size) / size**0.5
    return a, b, torch.randn(size, thin)


def reference(a, b, c):
    columns = [a.double() @ (b.double() @ column) for column in c.double().T]
    return torch.stack(columns, dim=1)


def baseline(a, b, c):
    return a @ b @ c


def optimized(a, b, c):
    return a @ (b @ c)


def cost(size, thin):
    thin_product = 2 * size * size * thin
    moved = 4 * (2 * size * size + 2 * size * thin)
    return dict(
        flops=2 * thin_product,
        bytes=moved,
        baseline_flops=2 * size**3 + thin_product,
        baseline_bytes=moved + 8 * size * size,
        optimized_bytes=moved + 8 * size * thin,
    )
