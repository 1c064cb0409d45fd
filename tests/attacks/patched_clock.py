"""Multiply matrices in less time.

Cheats: the clock goes at half its speed.
"""

import time

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


REAL, REAL_NS = time.perf_counter, time.perf_counter_ns


def optimized(x, weight):
    time.perf_counter = lambda: REAL() / 2
    time.perf_counter_ns = lambda: REAL_NS() // 2
    return x @ weight
