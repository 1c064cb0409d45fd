"""Spread a heavy elementwise function over a kept pool of threads.

numpy runs tanh on one core, but lets go of the interpreter lock while it does. Four threads that write into slices of
one output keep four cores busy. The pool is made once: starting four threads takes as long as a small chunk.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

THREADS = 4
POOL = ThreadPoolExecutor(THREADS)

workload = dict(count=8_000_000)
workload_cpu = dict(count=1_000_000)
smoke = dict(count=1_001)
tolerance = dict(rtol=1e-14, atol=1e-15)  # numpy's double tanh is good to a few units of the last place
tier = "idiomatic"


def inputs(count):
    return (np.random.randn(count),)


def reference(x):
    return np.tanh(x.astype(np.longdouble))


def baseline(x):
    return np.tanh(x)


def optimized(x):
    out = np.empty(x.shape, dtype=x.dtype)
    parts = zip(np.array_split(x, THREADS), np.array_split(out, THREADS), strict=True)
    for done in [POOL.submit(np.tanh, source, out=target) for source, target in parts]:
        done.result()
    return out


def cost(count):
    return dict(flops=20 * count, bytes=16 * count, predicted_optimized=3.0)
