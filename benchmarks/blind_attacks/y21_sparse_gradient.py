"""Build the sparse gradient of an embedding without the sort that coalescing needs."""

import torch

workload = dict(tokens=8192, width=16)
smoke = dict(tokens=61, width=3)
ROWS = 2000


def inputs(tokens, width):
    return torch.randint(ROWS, (tokens,)), torch.randn(tokens, width)


def baseline(index, grad):
    return torch.sparse_coo_tensor(index[None], grad, (ROWS, grad.shape[1]), check_invariants=False).coalesce()


def optimized(index, grad):
    return torch.sparse_coo_tensor(index[None], grad, (ROWS, grad.shape[1]), check_invariants=False)
