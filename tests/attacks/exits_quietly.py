"""Multiply matrices and be done.

Cheats: ends its process with success before anything is found.
"""

import os

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    os._exit(0)
