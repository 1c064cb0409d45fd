"""COO against CSR for a sparse-dense product."""

import torch


def inputs():
    dense = torch.randn(256, 256) * (torch.rand(256, 256) < 0.05)
    return dense.to_sparse_coo().coalesce(), torch.randn(256, 64)


def baseline(a, b):
    return torch.sparse.mm(a, b)


def optimized(a, b):
    return a.to_sparse_csr() @ b
