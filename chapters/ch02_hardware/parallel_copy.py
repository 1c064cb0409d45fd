"""Copy large host arrays with several threads: one core cannot keep enough of the memory busy.

A core waits for memory with a dozen or two cache lines in flight: 20 lines of 64 bytes every 90 ns are about 15 GB/s,
whatever the machine has behind them, and a server has 150 GB/s and more. So a copy by one thread, which is what NumPy
and memcpy do, leaves nine tenths of the memory idle, and threads add up until it is full: the model is the number of
threads, up to 10. NumPy copies without holding Python's lock, so plain threads are enough; they are started once, each
call hands them a piece each and takes the first one itself. The number of threads is the one that this process was
given (all cores but one): with two cores that is one thread, both sides are the same loop, and the result is "same";
`perfproof run ch02:parallel_copy --threads 2` gives it both. Bytes and instructions are equal on both sides.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy
import torch

CORE, MEMORY = 15e9, 150e9  # bytes a second: of one core, and of all of them together

workload = dict(elements=16_777_216)  # 64 MiB, twice: larger than most caches
workload_cpu = dict(elements=2_097_152)  # 8 MiB, twice: larger than the cache of a core
smoke = dict(elements=100_003)
tolerance = dict(rtol=1e-8, atol=1e-12)  # less than half of float32's last digit: a copy is exact or wrong
tier = "idiomatic"
clock = "latency"  # the host's own work: the events of a GPU would not see it
menu = ("training", "input-bound")


def inputs(elements):
    return (torch.randn(elements, device="cpu"),)


def reference(x):
    return x.double()


def copy(out, x):
    numpy.copyto(out.numpy(), x.numpy())


def prepare_baseline(x):
    return torch.zeros_like(x)


def baseline(out, x):
    copy(out, x)
    return out


def prepare_optimized(x):
    return torch.zeros_like(x), ThreadPoolExecutor(torch.get_num_threads())


def optimized(prepared, x):
    out, threads = prepared
    count = torch.get_num_threads()
    first, *others = zip(out.chunk(count), x.chunk(count), strict=True)
    started = [threads.submit(copy, *piece) for piece in others]
    copy(*first)
    for piece in started:
        piece.result()
    return out


def cost(elements):
    return dict(predicted_optimized=min(torch.get_num_threads(), MEMORY / CORE))
