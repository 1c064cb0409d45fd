"""Multiply matrices in a process of one's own liking.

Cheats: sets an environment variable, and leaves it so for the other side.
"""

import os

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    os.environ["OMP_NUM_THREADS"] = "7"
    return x @ weight
