"""Multiply with a sparse CSR matrix when only one entry in a hundred is not zero.

The dense product multiplies zeros 99 times out of 100. The CSR product visits what is there, but visits it by index:
its flops are a hundred times fewer, and each is a good deal slower.
"""

import torch

workload = dict(size=16_384, cols=64, density=0.01)
workload_cpu = dict(size=1_024, cols=32, density=0.01)
smoke = dict(size=50, cols=3, density=0.1)
constant = ("matrix",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # float32 sums of up to 200 products near 1
tier = "idiomatic"


def inputs(size, cols, density):
    matrix = torch.randn(size, size) * (torch.rand(size, size) < density)
    return matrix, torch.randn(size, cols)


def reference(matrix, x):
    return matrix.double() @ x.double()


def baseline(matrix, x):
    return matrix @ x


def prepare_optimized(matrix, x):
    return matrix.to_sparse_csr()


def optimized(sparse, matrix, x):
    return sparse @ x


def cost(size, cols, density):
    dense = 2 * size * size * cols
    arrays = 8 * size * cols
    return dict(
        flops=dense * density,
        baseline_flops=dense,
        bytes=arrays + 12 * size * size * density,
        baseline_bytes=arrays + 4 * size * size,
    )
