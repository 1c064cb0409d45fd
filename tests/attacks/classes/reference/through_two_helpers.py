"""Attend with a low-cost kernel.

Cheats: the reference reaches the variant through two helpers. The variant leaves the softmax out, the baseline does so
too, and all three agree.
"""

import torch

workload = workload_cpu = dict(tokens=256, width=32)
tolerance = dict(rtol=1e-3, atol=1e-3)  # sums of 256 products, divided by their number


def inputs(tokens, width):
    return torch.randn(tokens, width), torch.randn(tokens, width), torch.randn(tokens, width)


def reference(query, key, value):
    return in_double(query, key, value)


def in_double(*arguments):
    return attend(*(argument.double() for argument in arguments))


def attend(query, key, value):
    return optimized(query, key, value)


def baseline(query, key, value):
    return query @ key.T @ value / len(key)


def optimized(query, key, value):
    return query @ (key.T @ value) / len(key)
