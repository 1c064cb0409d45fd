"""Multiply a matrix of 1 % non-zeros in a sparse format, not as a dense one.

A dense product reads every zero: 8 bytes for each entry. CSR stores a value and a 4-byte column for each non-zero, 12
bytes for 1 % of the entries, so bytes predict some 65x. Gathering from the vector is slower per entry than reading on,
so expect less. The matrix stays the same over calls, so making the CSR of it is set-up.
"""

import numpy as np
from scipy.sparse import csr_array

workload = dict(size=8_192)
workload_cpu = dict(size=1_024)  # a dense matrix of 8 MB
smoke = dict(size=67)
constant = ["matrix"]
tolerance = dict(rtol=1e-10, atol=1e-12)  # double sums of about ten products near 1, which may cancel
tier = "idiomatic"
needs = dict(packages=["scipy"])


def inputs(size):
    matrix = np.random.randn(size, size)
    matrix[np.random.rand(size, size) > 0.01] = 0.0
    return matrix, np.random.randn(size)


def reference(matrix, x):
    wide = x.astype(np.longdouble)
    return np.array([(row * wide).sum() for row in matrix])


def baseline(matrix, x):
    return matrix @ x


def prepare_optimized(matrix, x):
    return csr_array(matrix)


def optimized(sparse, matrix, x):
    return sparse @ x


def cost(size):
    entries = size * size
    return dict(
        flops=entries // 50,
        bytes=12 * entries // 100 + 16 * size,
        baseline_flops=2 * entries,
        baseline_bytes=8 * entries + 16 * size,
    )
