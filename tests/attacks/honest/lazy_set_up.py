"""Multiply by a matrix that is packed in the first call.

Honest: a global of its own is filled once, from the constant, and a function of its own is replaced by a better
one.
"""

import functools

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


PACKED = None


def multiply(x):
    return torch.nn.functional.linear(x, PACKED)


def optimized(x, weight):
    global PACKED, multiply
    if PACKED is None:
        PACKED, multiply = weight.t().contiguous(), functools.partial(multiply)
    return multiply(x)


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
