"""Reconstruct a matrix of low rank from a randomised truncated SVD, not from the full one.

The full SVD finds every singular vector, at about 10 * rows * cols**2 operations, to keep the first few. svd_lowrank
multiplies the matrix with a thin random one a few times and takes the SVD of what is left. Singular vectors have no
fixed sign, so the reconstruction is the result.
"""

import torch

EXTRA = 8  # more directions than are kept, for accuracy

workload = dict(rows=2_048, cols=1_024, rank=16)
workload_cpu = dict(rows=192, cols=128, rank=8)
smoke = dict(rows=41, cols=29, rank=3)
domain = dict(matrix="drawn")  # the method is for matrices that are nearly of this rank: the rest is noise of 1e-3
tolerance = dict(rtol=1e-4, atol=5e-4)  # entries near 3; float32 SVD errors near 1e-5, and a part of the noise
tier = "idiomatic"


def inputs(rows, cols, rank):
    matrix = torch.randn(rows, rank) @ torch.randn(rank, cols) + 1e-3 * torch.randn(rows, cols)
    return matrix, rank


def reference(matrix, rank):
    u, s, vh = torch.linalg.svd(matrix.double(), full_matrices=False)
    return sum(s[k] * torch.outer(u[:, k], vh[k]) for k in range(rank))


def baseline(matrix, rank):
    u, s, vh = torch.linalg.svd(matrix, full_matrices=False)
    return (u[:, :rank] * s[:rank]) @ vh[:rank]


def optimized(matrix, rank):
    u, s, v = torch.svd_lowrank(matrix, q=min(rank + EXTRA, *matrix.shape), niter=2)
    return (u[:, :rank] * s[:rank]) @ v[:, :rank].T


def cost(rows, cols, rank):
    thin = rank + EXTRA
    return dict(
        flops=2 * rows * cols * rank,
        bytes=8 * rows * cols,
        baseline_flops=10 * rows * cols**2,
        optimized_flops=14 * rows * cols * thin,
    )
