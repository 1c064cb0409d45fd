"""Find the bin of an intensity with a product instead of a search.

Honest: it declares the domain that it needs. An intensity is between 0 and 1, and 64 bins are a power of two, so the
product is exact.
"""

import torch

BINS = 64

workload = workload_cpu = dict(pixels=20_000)
smoke = dict(pixels=777)
domain = dict(image=(0.0, 1.0))  # an intensity is a share of the brightest
tolerance = dict(rtol=0.0, atol=0.0)  # bins are exact: a product with a power of two is not rounded
tier = "idiomatic"


def inputs(pixels):
    return (torch.rand(pixels),)


def reference(image):
    edges = torch.arange(1, BINS, dtype=torch.float64) / BINS
    return (image.double()[:, None] >= edges[None, :]).sum(1)


def baseline(image):
    edges = torch.arange(1, BINS, dtype=image.dtype) / BINS
    return torch.bucketize(image, edges, right=True)


def optimized(image):
    return (image * BINS).long().clamp_(max=BINS - 1)


def cost(pixels):
    return dict(predicted_optimized=10.0)
