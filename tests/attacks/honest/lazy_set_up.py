"""Multiply by a matrix that is packed in the first call.

Honest: a global of its own is filled once, from the constant, and a function of its own is replaced by a better
one.
"""

import functools

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


PACKED = None


def multiply(x):
    return torch.nn.functional.linear(x, PACKED)


def optimized(x, weight):
    global PACKED, multiply
    if PACKED is None:
        PACKED, multiply = weight.t().contiguous(), functools.partial(multiply)
    return multiply(x)
