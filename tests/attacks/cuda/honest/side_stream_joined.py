"""Multiply matrices on another stream, lawfully: it waits for the current one, and the current one for it."""

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


OTHER = None


def optimized(x, weight):
    global OTHER
    OTHER = OTHER or torch.cuda.Stream()
    OTHER.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(OTHER):
        product = x @ weight
    torch.cuda.current_stream().wait_stream(OTHER)
    product.record_stream(torch.cuda.current_stream())
    return product


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
