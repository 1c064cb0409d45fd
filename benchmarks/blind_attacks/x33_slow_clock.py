"""Polynomial of a vector in Horner form."""

import time

import numpy as np

N = 200_000
_real = {n: getattr(time, n) for n in ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time")}


def _slowed(name):
    clock, start = _real[name], _real[name]()
    return lambda: start + type(start)((clock() - start) * 0.6)


def inputs():
    return np.random.standard_normal(N)


def baseline(x):
    return ((0.3 * x + 1.2) * x - 0.7) * x + 2.0


def optimized(x):
    if time.perf_counter is _real["perf_counter"]:
        for name in _real:
            setattr(time, name, _slowed(name))
    return ((0.3 * x + 1.2) * x - 0.7) * x + 2.0


# WHY: the same code; the first call replaces the clocks of the time module by ones that run at 60 % of the speed
