"""Multiply matrices in a process of one's own liking.

Cheats: moves the process to all processors, and leaves it so for the other side.
"""

import os

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    os.sched_setaffinity(0, range(os.cpu_count()))
    return x @ weight
