"""Turn a function of one sample into a function of a batch with vmap, not with a Python loop.

The loop runs a vector-matrix product, a tanh and a dot product per sample. vmap runs each of them once for all samples,
and the vector-matrix products become one matrix product that reads the matrix once.
"""

import torch

workload = dict(batch=1_024, width=512)
workload_cpu = dict(batch=64, width=64)
smoke = dict(batch=3, width=9)
constant = ("matrix",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # float32 sums of up to 512 products near 0.6, results up to 60
tier = "naive"


def energy(x, matrix):
    """One number for one sample: tanh(M x) times x."""
    return torch.dot(torch.tanh(matrix @ x), x)


def inputs(batch, width):
    return torch.randn(batch, width), torch.randn(width, width) / width**0.5


def reference(x, matrix):
    x, matrix = x.double(), matrix.double()
    return (torch.tanh(x @ matrix.T) * x).sum(-1)


def baseline(x, matrix):
    return torch.stack([energy(row, matrix) for row in x])


def optimized(x, matrix):
    return torch.vmap(energy, in_dims=(0, None))(x, matrix)


def cost(batch, width):
    matrix = 4 * width * width
    least = matrix + 4 * batch * width
    return dict(flops=2 * batch * width**2, bytes=least, baseline_bytes=batch * matrix + 8 * batch * width)
