"""Multiply matrices in a process of one's own liking.

Cheats: lowers the priority of the process, and leaves it so for the other side.
"""

import os

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    os.setpriority(os.PRIO_PROCESS, 0, 5)
    return x @ weight
