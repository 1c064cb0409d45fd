"""Multiply matrices in a process of one's own liking.

Cheats: turns the garbage collector off, and leaves it so for the other side.
"""

import gc

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    gc.disable()
    return x @ weight
