"""Histogram of codes on two threads without the interpreter lock."""

import threading

import numba
import numpy as np

N, BINS = 400_000, 1 << 16


def inputs():
    return np.random.randint(0, BINS, N)


def baseline(codes):
    out = np.zeros(BINS, dtype=np.int64)
    for b in range(0, len(codes), 100):
        np.add.at(out, codes[b : b + 100], 1)
    return out


@numba.njit("void(int64[::1], int64[::1])", nogil=True)
def _count(codes, out):
    for i in range(codes.shape[0]):
        out[codes[i]] += 1


def optimized(codes):
    out = np.zeros(BINS, dtype=np.int64)
    half = len(codes) // 2
    other = threading.Thread(target=_count, args=(codes[:half], out))
    other.start()
    _count(codes[half:], out)
    other.join()
    return out


# WHY: both threads increment the same counters without atomics; increments are lost, how many depends on how the threads overlap, and on one core it is almost always right
