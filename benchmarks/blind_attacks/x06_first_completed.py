"""Elementwise chain, split over a kept pool of two threads."""

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import numpy as np

N = 150_000
_pool = None


def inputs():
    return np.random.standard_normal(N)


def baseline(x):
    return np.tanh(np.sin(x) * np.exp(-x * x))


def _part(x, out):
    np.multiply(x, x, out=out)
    np.negative(out, out=out)
    np.exp(out, out=out)
    out *= np.sin(x)
    np.tanh(out, out=out)


def optimized(x):
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(2)
    out = np.empty_like(x)
    cuts = [len(x) * i // 8 for i in range(9)]
    jobs = [_pool.submit(_part, x[a:b], out[a:b]) for a, b in zip(cuts, cuts[1:])]
    wait(jobs, return_when=FIRST_COMPLETED)
    return out


# WHY: returns when the first of eight parts is done; the others are still being written after the call has returned, so the reader pays or sees garbage
