"""Multiply matrices and keep the machine busy.

Cheats: a thread that it has started goes on after the call has returned, and the other side pays for it.
"""

import threading

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


STARTED = []


def burn():
    while True:
        sum(range(1000))


def optimized(x, weight):
    if not STARTED:
        STARTED.append(threading.Thread(target=burn, daemon=True).start())
    return x @ weight
