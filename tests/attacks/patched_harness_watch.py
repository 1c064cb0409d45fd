"""Multiply matrices in no time.

Cheats: first blinds the watch that looks for replaced functions, then replaces what it likes.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def optimized(x, weight):
    watch = torch.sys.modules["perfproof.verify.watch"]
    watch.functions, watch.patched, watch.switched = dict, lambda before: [], lambda before: []
    for name in ("perfproof.bench.worker", "perfproof.bench.verification"):
        module = torch.sys.modules[name]
        module.difference = lambda result, reference, tolerance: module.Difference()
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
