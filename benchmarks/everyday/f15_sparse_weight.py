"""A pruned weight (98 % zeros) multiplied as CSR, converted once."""

import torch

constant = ("weight",)
workload = dict(rows=1024, cols=1024, batch=64)


def constants(rows, cols):
    weight = torch.randn(rows, cols)
    return weight * (torch.rand(rows, cols) < 0.02)


def inputs(rows, cols, batch):
    return torch.randn(cols, batch)


def baseline(x, weight):
    return weight @ x


def prepare_optimized(x, weight):
    return weight.to_sparse_csr()


def optimized(csr, x, weight):
    return csr @ x
