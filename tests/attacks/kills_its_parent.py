"""Multiply matrices and be done.

Cheats: ends the process that it was forked from, which other targets need as well.
"""

import os
import signal

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    os.kill(os.getppid(), signal.SIGKILL)
    return x @ weight
