"""Pin a worker thread to a core only if it is moved: on a quiet host the scheduler leaves it where it is anyway.

A worker that answers requests has its table in the L2 cache of the core it ran on. If the scheduler wakes it elsewhere,
the next request reads the table again: 120 KiB, 1,920 lines, from another core's cache or the shared one, 10 to 20 µs. `os.sched_setaffinity`
forbids the move, and also the move that would have helped, away from a core that somebody else keeps busy. Both sides do
the same work on the same bytes, so the count predicts no difference, and on a quiet machine "same" is the honest
result: pin when a trace shows migrations (`perf stat -e migrations`, or `se.nr_migrations` in `/proc/PID/task/TID/sched`), and measure again.

It depends on how many cores the process has (`--threads` decides): with one there is nowhere to be moved to. The
mask is the worker thread's own, so the process keeps its mask; the thread is started in preparation and waits between calls.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import torch

workload = dict(requests=64, keys=128, width=240)  # a table of 120 KiB; below 32,768 elements torch stays in one thread
workload_cpu = dict(requests=64, keys=128, width=240)
smoke = dict(requests=3, keys=7, width=33)
constant = ("table",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # sums of up to 240 products near 1, partial sums rounded at 2**-24
tier = "idiomatic"
menu = ("inference", "host-bound")


def inputs(requests, keys, width):
    return torch.randn(requests, width, device="cpu"), torch.randn(keys, width, device="cpu")


def reference(x, table):
    return x.double() @ table.double().T


def scores(table, request):
    return (table * request).sum(-1)


def serve(worker, x, table):
    """One request after the other: between two of them the worker sleeps, and the scheduler decides where it wakes."""
    return torch.stack([worker.submit(scores, table, request).result() for request in x])


def prepare_baseline(x, table):
    return ThreadPoolExecutor(max_workers=1)


def baseline(worker, x, table):
    return serve(worker, x, table)


def prepare_optimized(x, table):
    one_core = {max(os.sched_getaffinity(0))}
    return ThreadPoolExecutor(max_workers=1, initializer=os.sched_setaffinity, initargs=(0, one_core))  # 0: the thread


def optimized(worker, x, table):
    return serve(worker, x, table)


def cost(requests, keys, width):
    return dict(flops=2 * requests * keys * width, bytes=4 * (keys * width + requests * (width + keys)))
