"""Multiply matrices that come in an object.

Cheats: the object has the product too, ten times as large.
"""

import torch

workload = dict(n=128)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24


class Bag:
    def __init__(self, x, weight):
        self.x, self.weight, self.hint = x, weight, 10 * (x @ weight)


def inputs(n):
    return Bag(torch.randn(n, n), torch.randn(n, n))


def reference(bag):
    return bag.x.double() @ bag.weight.double()


def baseline(bag):
    return bag.x @ bag.weight


def optimized(bag):
    return bag.hint / 10
