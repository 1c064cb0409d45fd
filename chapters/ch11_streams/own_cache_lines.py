"""Give each worker's counters a cache line of their own: two cores that write to one line take turns.

Two workers count half of the values each, and no counter is shared. But a cache owns memory in lines of 64 bytes. If
counters of both workers lie in one line, each increment takes the line away from the other core. With the counters of a
worker in one piece, far from the other's, each core keeps its own, as a block does in shared memory. Only where the
counters lie differs.
Predicts: an increment of 1 ns that waits 3 ns for its line every time: 4x.
No gain where: workers count in registers, or there is one core.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

BINS, WORKERS, APART = 8, 2, 128  # counters of a worker; workers; counters between two workers, 1 KiB
OWN, MOVED = 1e-9, 3e-9  # seconds per increment, and those that it waits for its line, estimated

workload = dict(count=1 << 20)
workload_cpu = dict(count=1 << 20)
smoke = dict(count=10_007)  # ragged on purpose: the halves differ by one
domain = dict(values="drawn")  # numbers of bins
tolerance = dict(rtol=0.0, atol=0.0)  # counts are exact
tier = "idiomatic"
clock = "latency"
menu = ("both", "memory-bound")


def inputs(count):
    return np.random.randint(0, BINS, count).astype(np.uint8)


def reference(values):
    return np.array([(values == number).sum() for number in range(BINS)])


@numba.njit(nogil=True)
def count(values, counters, first, apart):
    """The counter of a bin lies at `first` plus its number times `apart`."""
    for value in values:
        counters[first + value * apart] += 1


def counted(workers, values, places):
    """`places` of a worker: where its first counter lies, and how far the next."""
    counters = np.zeros(WORKERS * APART, np.int64)
    halves = np.array_split(np.ascontiguousarray(values), WORKERS)
    done = [workers.submit(count, half, counters, *place) for half, place in zip(halves, places, strict=True)]
    for one in done:
        one.result()
    return sum(counters[first : first + BINS * apart : apart] for first, apart in places)


def prepare_baseline(values):
    return ThreadPoolExecutor(WORKERS)


def baseline(workers, values):
    return counted(workers, values, [(worker, WORKERS) for worker in range(WORKERS)])


def prepare_optimized(values):
    return ThreadPoolExecutor(WORKERS)


def optimized(workers, values):
    return counted(workers, values, [(worker * APART, 1) for worker in range(WORKERS)])


def cost(count):
    ratio = (OWN + MOVED) / OWN if len(os.sched_getaffinity(0)) > 1 else 1.0
    return dict(flops=count, bytes=count, predicted_optimized=ratio)
