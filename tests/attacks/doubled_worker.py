"""Multiply matrices in two processes.

Cheats: forks the worker itself; both copies go on with the harness and answer the run.
"""

import os

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


DOUBLED = []


def optimized(x, weight):
    if not DOUBLED:
        DOUBLED.append(True)
        getattr(os, "fo" + "rk")()
    return x @ weight
