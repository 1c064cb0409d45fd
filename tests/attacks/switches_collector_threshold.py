"""Multiply matrices in a process of one's own liking.

Cheats: lets the garbage collector run all the time, and leaves it so for the other side.
"""

import gc

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    gc.set_threshold(1)
    return x @ weight
