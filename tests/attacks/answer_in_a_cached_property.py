"""Multiply matrices that come in an object.

Cheats: `inputs` asks for the product, which the object keeps, so that the variant finds it.
"""

from functools import cached_property

import torch

workload = dict(n=128)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24


class Bag:
    def __init__(self, x, weight):
        self.x, self.weight = x, weight

    @cached_property
    def product(self):
        return self.x @ self.weight


def inputs(n):
    bag = Bag(torch.randn(n, n), torch.randn(n, n))
    _ = bag.product
    return bag


def reference(bag):
    return bag.x.double() @ bag.weight.double()


def baseline(bag):
    return bag.x @ bag.weight


def optimized(bag):
    return bag.product
