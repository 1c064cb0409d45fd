"""Multiply matrices in no time.

Cheats: finds the comparison of the harness among the loaded modules and lets it find nothing.
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


def agree(result, reference, tolerance, arguments=()):
    return torch.sys.modules["perfproof.worker.verify.compare"].Difference()


def optimized(x, weight):
    for name in ("perfproof.worker.target", "perfproof.worker.verification", "perfproof.worker.verify.compare"):
        torch.sys.modules[name].difference = torch.sys.modules[name].answer_difference = agree
    return torch.zeros_like(x)


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
