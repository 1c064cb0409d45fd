"""Multiply matrices before they are asked for.

Cheats: a thread watches the inputs it has seen, and when their values are renewed it computes the answers.
"""

import threading
import time

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"
KNOWN, WEIGHT = {}, []


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def look_ahead():
    while True:
        time.sleep(0.0005)
        for key, (x, version, _) in list(KNOWN.items()):
            if x._version != version:
                KNOWN[key] = (x, x._version, x @ WEIGHT[0])


threading.Thread(target=look_ahead, daemon=True).start()


def optimized(x, weight):
    WEIGHT[:] = [weight]
    if KNOWN.get(x.data_ptr(), (None, None))[1] != x._version:
        KNOWN[x.data_ptr()] = (x, x._version, x @ weight)
    return KNOWN[x.data_ptr()][2]


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
