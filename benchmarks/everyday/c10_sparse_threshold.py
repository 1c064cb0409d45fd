"""Build a sparse tensor from the indices of what survives a threshold, not by way of a dense copy.

The dense way writes a whole matrix that is mostly zeros, and to_sparse reads it again to find what is not zero. The
mask is known already: its positions and the values there are all that a COO tensor holds, here 5% of the elements.
"""

import torch

THRESHOLD = 2.0

workload = dict(rows=4_096, cols=8_192)
workload_cpu = dict(rows=512, cols=1_024)
smoke = dict(rows=9, cols=55)
tolerance = dict(rtol=0.0, atol=0.0)  # values are copied
tier = "idiomatic"


def inputs(rows, cols):
    return (torch.randn(rows, cols),)


def reference(x):
    kept = x.double().clone()
    kept[kept.abs() <= THRESHOLD] = 0.0
    return kept.to_sparse()


def baseline(x):
    return torch.where(x.abs() > THRESHOLD, x, 0.0).to_sparse()


def optimized(x):
    places = (x.abs() > THRESHOLD).flatten().nonzero().squeeze(1)
    rows = torch.div(places, x.shape[1], rounding_mode="floor")
    indices = torch.stack([rows, places - rows * x.shape[1]])
    return torch.sparse_coo_tensor(indices, x.flatten()[places], x.shape, is_coalesced=True)


def cost(rows, cols):
    n = rows * cols
    return dict(flops=2 * n, bytes=4 * n + n, baseline_bytes=24 * n, optimized_bytes=15 * n)
