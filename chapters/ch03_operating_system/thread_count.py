"""Run as many threads as the process has cores: `len(os.sched_getaffinity(0))`, not `os.cpu_count()`.

In a container with an eighth of its host, `os.cpu_count()` still gives the host's cores, and whatever sizes its threads
by it starts eight for each core it may use. The work does not change: eight slices of an eighth, on a core that was
busy already. What is added is turns: an operator is done when its last thread is, so each of them has to be woken, put
on the core and put to sleep again for every operator. At some 20 µs a turn, eight threads add 160 µs to an operator of
52 µs: 4.1x. Long operators hide it. Where other processes use the core as well, both sides wait for it and the ratio
shrinks: it was 1.96x on a virtual machine of two cores.

It depends on the cores that this process may use (`--threads` decides). The operators run in a thread of ours, because
a thread has an OpenMP team of its own: its size is set there, and the process keeps the count it had.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import torch

LAYERS, TIMES = 40, 8  # operators in a call; threads that the baseline starts for each core
TURN, ELEMENT = 20e-6, 0.4e-9  # seconds: a thread woken, run and asleep again; one element on one core

workload = dict(elements=2_097_152)  # an operator of 50 µs on some 16 cores
workload_cpu = dict(elements=131_072)  # an operator of 50 µs on one core
smoke = dict(elements=100_003)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a few roundings at 2**-24 for each layer; tanh amplifies none of them
tier = "idiomatic"
tour = True
menu = ("both", "host-bound")


def inputs(elements):
    return (torch.randn(elements, device="cpu"),)


def reference(x):
    return chain(x.double())


def chain(x):
    for _ in range(LAYERS):
        x = torch.tanh(x)
    return x


def runner(threads):
    """A thread whose operators use so many threads; threads that others start later use as many as before."""
    before = torch.get_num_threads()
    thread = ThreadPoolExecutor(max_workers=1)
    thread.submit(torch.get_num_threads).result()  # a new thread takes over the process's count when it first asks
    thread.submit(torch.set_num_threads, threads).result()
    torch.set_num_threads(before)
    return thread


def prepare_baseline(x):
    return runner(TIMES * len(os.sched_getaffinity(0)))  # what os.cpu_count() says in such a container


def baseline(thread, x):
    return thread.submit(chain, x).result()


def prepare_optimized(x):
    return runner(len(os.sched_getaffinity(0)))


def optimized(thread, x):
    return thread.submit(chain, x).result()


def cost(elements):
    operator = elements * ELEMENT / len(os.sched_getaffinity(0))
    return dict(predicted_optimized=(operator + TIMES * TURN) / operator)
