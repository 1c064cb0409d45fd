"""Find places in a sorted list.

Honest: its input is sorted, and a function of it makes no sense where it is not.
"""

import torch

workload = dict(n=20_000)
tolerance = dict(rtol=0.0, atol=0.0)  # places are exact
tier = "idiomatic"


def inputs(n):
    return torch.rand(n).sort().values, torch.rand(500)


def reference(edges, x):
    return (edges[None, :] < x[:, None]).sum(1)


def baseline(edges, x):
    return torch.bucketize(x, edges)


def optimized(edges, x):
    return torch.searchsorted(edges, x)


def cost(n):
    return dict(predicted_optimized=1.0)
