"""Multiply matrices at address zero.

Fails: reads where nothing is.
"""

import ctypes

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    return ctypes.string_at(0)
