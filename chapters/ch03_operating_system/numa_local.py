"""Keep memory on the node that reads it: it lands where the core runs that writes it first.

A page gets its place when it is first written, on the node of the writing core. Weights that were loaded by a thread on
one socket and are read by a thread on the other cross the link between them at every read. One core has a fixed number
of loads under way, so its bandwidth is that number over the latency of one load, and the ratio of the latencies is the ratio of
the times. The firmware states it as distances, 10 for a node to itself and mostly 20 to 32 to another: that
is the prediction, read from this machine. It is a claim of the firmware's, often too large: caches and prefetching hide a part.
Both sides are the same code with the same thread; only the core that wrote the copy first differs.

It depends on two nodes with cores that the process may use, and on weights larger than the last cache (`--set`
makes them so). Affinity and torch's thread count are set in the call and put back. A kernel that balances by itself
(`/proc/sys/kernel/numa_balancing`) moves the pages after some seconds of use, and the difference with them.
"""

import contextlib
import os

import torch

NODES = "/sys/devices/system/node"

workload = dict(rows=16_384, cols=4_096)  # 256 MiB: larger than most last-level caches
workload_cpu = dict(rows=16_384, cols=4_096)
smoke = dict(rows=5, cols=777)
constant = ("weight",)
tolerance = dict(rtol=1e-5, atol=1e-4)  # sums of up to 4,096 products, near 64 before they cancel, rounded at 2**-24
tier = "idiomatic"
needs = dict(numa=2)
menu = ("both", "host-bound")


def inputs(rows, cols):
    weight = torch.outer(torch.randn(rows, device="cpu"), torch.randn(cols, device="cpu"))  # cheap, and full of values
    return torch.randn(cols, device="cpu"), weight


def reference(x, weight):
    return torch.stack([row.double() @ x.double() for row in weight])


def nodes():
    """The CPUs of every node that has some."""
    found = {}
    for name in os.listdir(NODES):
        if name.startswith("node") and name[4:].isdigit():
            with open(f"{NODES}/{name}/cpulist") as file:
                ranges = [part.split("-") for part in file.read().strip().split(",") if part]
            found[int(name[4:])] = {cpu for ends in ranges for cpu in range(int(ends[0]), int(ends[-1]) + 1)}
    return {node: cpus for node, cpus in found.items() if cpus}


def near_and_far():
    """The node that this process runs on, and the one that is farthest from it."""
    first = min(os.sched_getaffinity(0))
    near = next(node for node, cpus in nodes().items() if first in cpus)
    return near, max(nodes(), key=lambda node: distances(near)[node])


def distances(near):
    with open(f"{NODES}/node{near}/distance") as file:
        return dict(zip(sorted(nodes()), map(int, file.read().split()), strict=False))


@contextlib.contextmanager
def one_thread_on(node):
    cpus, threads = os.sched_getaffinity(0), torch.get_num_threads()
    os.sched_setaffinity(0, nodes()[node] & cpus or nodes()[node])
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        os.sched_setaffinity(0, cpus)


def copied_on(node, weight):
    with one_thread_on(node):
        return weight.clone()  # written here first


def product_near(weight, x):
    with one_thread_on(near_and_far()[0]):
        return torch.mv(weight, x)


def prepare_baseline(x, weight):
    return copied_on(near_and_far()[1], weight)


def baseline(placed, x, weight):
    return product_near(placed, x)


def prepare_optimized(x, weight):
    return copied_on(near_and_far()[0], weight)


def optimized(placed, x, weight):
    return product_near(placed, x)


def cost(rows, cols):
    near, far = near_and_far()
    return dict(predicted_optimized=distances(near)[far] / distances(near)[near])
