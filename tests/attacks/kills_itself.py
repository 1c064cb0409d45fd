"""Multiply matrices and be done.

Cheats: ends its process by a signal that cannot be caught.
"""

import os
import signal

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    os.kill(os.getpid(), signal.SIGKILL)
