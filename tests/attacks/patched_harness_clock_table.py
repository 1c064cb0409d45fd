"""Multiply matrices in less time.

Cheats: replaces an entry of the harness's table of clocks; every name still stands for what it stood for.
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
    clocks = torch.sys.modules["perfproof.worker.measure.clocks"]

    def quick(function, sets):
        output = [function(*arguments) for arguments in sets][-1]
        now = clocks._now()
        return clocks.Reading(now, now + 1000, 1e-6, output)

    clocks.CLOCKS["call", "cpu"] = quick
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
