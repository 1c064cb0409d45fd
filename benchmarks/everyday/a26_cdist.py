"""Use cdist for pairwise distances instead of broadcasting the difference.

The broadcast writes a temporary of rows x others x width, squares it into a second one and reads that back. cdist
adds the squares up as it goes and writes rows x others. The mode without a matrix product is asked for, because the
product |a|^2 - 2ab + |b|^2 cancels for points that are close to each other and far from zero.
"""

import torch

workload = dict(rows=4_096, others=4_096, width=32)
workload_cpu = dict(rows=256, others=256, width=32)
smoke = dict(rows=7, others=30, width=5)
tolerance = dict(rtol=1e-5, atol=1e-5)  # float32 sums of 32 squares, distances near 8
tier = "naive"


def inputs(rows, others, width):
    return torch.randn(rows, width), torch.randn(others, width)


def reference(a, b):
    return torch.stack([(b.double() - point).square().sum(-1).sqrt() for point in a.double()])


def baseline(a, b):
    return (a[:, None, :] - b[None, :, :]).pow(2).sum(-1).sqrt()


def optimized(a, b):
    return torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist")


def cost(rows, others, width):
    least = 4 * (rows * width + others * width + rows * others)
    differences = rows * others * width
    return dict(flops=3 * differences, bytes=least, baseline_bytes=least + 16 * differences, optimized_bytes=least)
