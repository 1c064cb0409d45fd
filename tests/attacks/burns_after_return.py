"""Multiply matrices and leave a little behind.

Cheats: every call wakes a thread that burns three milliseconds right afterwards, when it is the baseline's turn,
and is quiet before anyone listens for long.
"""

import threading
import time

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)
WAKE, STARTED = threading.Event(), []


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
