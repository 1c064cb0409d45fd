"""Multiply matrices and be done.

Cheats: ends its process with success before anything is found, by way of an exception.
"""

import sys

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    sys.exit(0)
