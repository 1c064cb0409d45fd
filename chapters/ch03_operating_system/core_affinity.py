"""Pin a worker to a core only if you have seen it moved: on a quiet host the scheduler leaves it where it is anyway.

A worker that waits for requests has its table in the cache of the core it ran on. If the scheduler wakes it on another
one, the next request reads the table again: 120 KiB, 1,920 lines from a neighbour's cache or the shared one, 10 to
20 µs on top of a request that takes 15 and a wait of some 70. So it is 1.2x at the very most, where every single wake
is a move, and nothing where none is. `os.sched_setaffinity` forbids the move, and with it the move that would have
helped: away from a core that somebody else keeps busy. Both sides do the same work on the same bytes, so the count
predicts no difference, and "same" is what a quiet host shows. Pin when you see migrations (`perf stat -e migrations`,
or `nr_migrations` in `/proc/PID/sched`), and measure again.

It depends on how many cores the process has (`--threads` decides): with one there is nowhere to be moved to. The mask
is the calling thread's, set in the call and put back before it returns: two system calls.
"""

import os
import time

import torch

WAIT = 20e-6  # seconds until the next request; the kernel's timer adds some 50 µs

workload = dict(requests=32, keys=128, width=240)  # a table of 120 KiB; below 32,768 elements torch stays in one thread
workload_cpu = dict(requests=32, keys=128, width=240)
smoke = dict(requests=3, keys=7, width=33)
constant = ("table",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # sums of up to 240 products near 1, partial sums rounded at 2**-24
tier = "idiomatic"
menu = ("inference", "host-bound")


def inputs(requests, keys, width):
    return torch.randn(requests, width, device="cpu"), torch.randn(keys, width, device="cpu")


def reference(x, table):
    return x.double() @ table.double().T


def serve(x, table):
    scores = []
    for request in x:
        time.sleep(WAIT)  # the scheduler decides where the worker wakes
        scores.append((table * request).sum(-1))
    return torch.stack(scores)


def baseline(x, table):
    return serve(x, table)


def optimized(x, table):
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        return serve(x, table)
    finally:
        os.sched_setaffinity(0, allowed)


def cost(requests, keys, width):
    return dict(flops=2 * requests * keys * width, bytes=4 * (keys * width + requests * (width + keys)))
