"""Multiply matrices by replaying a graph.

Cheats: the graph was captured on the arguments of the preparation, and is replayed on them whatever the arguments are.
"""

import torch

workload = dict(n=1024)
smoke = dict(n=65)
constant = ("weight",)
tolerance = dict(rtol=1e-3, atol=1e-2)  # sums of 1024 products near 1, rounded at 2**-24; half precision would pass
tier = "idiomatic"
needs = dict(cuda=7.0)


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def prepare_optimized(x, weight):
    x @ weight
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        product = x @ weight
    return graph, product, x


def optimized(captured, x, weight):
    graph, product, _ = captured
    graph.replay()
    return product


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
