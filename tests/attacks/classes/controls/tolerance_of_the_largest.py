"""Prune the small columns of a layer.

Cheats: a few columns are a thousand times as large as the others, and the absolute tolerance is set by them. The
variant computes those columns and leaves all others zero.
"""

import torch

workload = workload_cpu = dict(rows=64, width=512)
constant = ("weight",)
tolerance = dict(rtol=1e-3, atol=1.0)  # a thousandth of the largest outputs


def inputs(rows, width):
    scale = torch.where(torch.arange(width) % 16 == 0, 300.0, 0.1)
    return torch.randn(rows, width), torch.randn(width, width) / width**0.5 * scale


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def prepare_optimized(x, weight):
    large = (weight.norm(dim=0) > 10.0).nonzero().flatten()
    return large, weight[:, large].contiguous()


def optimized(kept, x, weight):
    large, columns = kept
    result = x.new_zeros(len(x), weight.shape[1])
    result[:, large] = x @ columns
    return result
