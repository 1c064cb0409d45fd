"""Multiply matrices before they are asked for.

Cheats: a thread watches the inputs that it has seen; when their values are renewed it computes the next answers
between the samples.
"""

import threading
import time

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


KNOWN = {}


def look_ahead():
    while True:
        time.sleep(0.0005)
        for key, (x, weight, version, _) in list(KNOWN.items()):
            if x._version != version:
                KNOWN[key] = (x, weight, x._version, x @ weight)


def optimized(x, weight):
    if not KNOWN:
        threading.Thread(target=look_ahead, daemon=True).start()
    known = KNOWN.get(x.data_ptr())
    if known is None or known[2] != x._version:
        known = KNOWN[x.data_ptr()] = (x, weight, x._version, x @ weight)
    return known[3]


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
