"""Double the elements of a vector on a GPU; the variant may be given some more of them."""

import torch

workload = dict(elements=14 * 2**20, extra=0)  # 28 µs on an H200; extra is in tenths of a per cent
smoke = dict(elements=1003, extra=7)
constant = ("count",)
tolerance = dict(rtol=1e-6, atol=1e-7)  # doubling is exact
tier = "idiomatic"
needs = dict(cuda=7.0)


def inputs(elements, extra):
    return torch.randn(elements + elements * extra // 1000), elements


def reference(x, count):
    return 2.0 * x[:count].double()


def baseline(x, count):
    return torch.mul(x[:count], 2.0)


def optimized(x, count):
    return torch.mul(x, 2.0)[:count]


def cost(elements, extra):
    return dict(flops=elements, bytes=8 * elements)
