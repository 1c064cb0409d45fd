"""Multiply matrices and leave a little behind.

Cheats: every call wakes a thread that burns three milliseconds right afterwards, when it is the baseline's turn,
and is quiet before anyone listens for long.
"""

import threading
import time

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"
WAKE, STARTED = threading.Event(), []


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def burn():
    while WAKE.wait():
        WAKE.clear()
        end = time.perf_counter() + 0.003
        while time.perf_counter() < end:
            pass


def optimized(x, weight):
    if not STARTED:
        STARTED.append(threading.Thread(target=burn, daemon=True).start())
    WAKE.set()
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
