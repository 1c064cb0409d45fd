"""Run as many threads as the process has cores: `len(os.sched_getaffinity(0))`, not `os.cpu_count()`.

In a container with an eighth of its host, `os.cpu_count()` still gives the host's cores, and whatever sizes its threads
by it starts eight for each core it may use. The work does not change: eight slices of an eighth, on a core that
was busy already. What is added is turns: an operator is done when its last thread is, so each of them has to be woken,
put on the core and put to sleep once for every operator. With some 20 µs for that, eight threads add 160 µs
to an operator of 50 µs: 4.2x. Long operators hide it, small ones, and the machines that share their cores, do not.

It depends on the cores that this process may use (`--threads` decides) and sets torch's thread count in the call, back
to what it was before it returns.
"""

import os

import torch

TURN, ELEMENT = 20e-6, 0.4e-9  # seconds: a thread woken, run and asleep again; one element on one core

workload = dict(elements=2_097_152, layers=10, times=8)  # an operator of 50 µs on some 16 cores
workload_cpu = dict(elements=131_072, layers=10, times=8)  # an operator of 50 µs on one core
smoke = dict(elements=100_003, layers=3, times=8)
constant = ("layers", "times")
tolerance = dict(rtol=1e-5, atol=1e-6)  # a few roundings at 2**-24 for each layer, and tanh amplifies none
tier = "idiomatic"
tour = True
menu = ("both", "host-bound")


def inputs(elements, layers, times):
    return torch.randn(elements, device="cpu"), layers, times


def reference(x, layers, times):
    wide = x.double()
    for _ in range(layers):
        wide = torch.tanh(wide)
    return wide


def with_threads(threads, x, layers):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for _ in range(layers):
            x = torch.tanh(x)
        return x
    finally:
        torch.set_num_threads(before)


def baseline(x, layers, times):
    return with_threads(times * len(os.sched_getaffinity(0)), x, layers)  # what os.cpu_count() says in such a container


def optimized(x, layers, times):
    return with_threads(len(os.sched_getaffinity(0)), x, layers)


def cost(elements, layers, times):
    operator = elements * ELEMENT / len(os.sched_getaffinity(0))
    return dict(predicted_optimized=(operator + times * TURN) / operator)
