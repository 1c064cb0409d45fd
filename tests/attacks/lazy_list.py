"""Multiply matrices when needed.

Cheats: returns a list that computes its only element when somebody goes through it.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return [x.double() @ weight.double()]


def baseline(x, weight):
    return [x @ weight]


class Later(list):
    def __iter__(self):
        x, weight = self.factors
        return iter([x @ weight])


def optimized(x, weight):
    later = Later([None])
    later.factors = (x, weight)
    return later
