"""Keep memory on the node that reads it: a page lands where the core runs that writes it first.

Weights that were loaded by a thread on one socket and are read by a thread on the other cross the link between the two
at every read. One core has a fixed number of loads under way, so its bandwidth is that number over the latency of a
load, and the times behave as the latencies do. The firmware states those as distances, 10 from a node to itself and
mostly 20 to 32 to another: their ratio is the prediction, read from the machine that is measured. It is what the
firmware claims, and mostly too much, because prefetching hides a part. Both sides are the same code in the same thread;
what differs is which core wrote the copy of the weights first.

It depends on two nodes whose cores the process may use, and on weights larger than the last cache (`--set` makes them
so). Affinity and torch's thread count are set in the call and put back. A kernel that balances by itself
(`/proc/sys/kernel/numa_balancing`) moves the pages after some seconds of use, and the difference goes with them.
"""

import contextlib
import os

import torch

NODES = "/sys/devices/system/node"

workload = dict(rows=16_384, cols=4_096)  # 256 MiB: larger than most last-level caches
workload_cpu = dict(rows=16_384, cols=4_096)
smoke = dict(rows=5, cols=777)
constant = ("weight",)
tolerance = dict(rtol=1e-5, atol=1e-3)  # sums of up to 4,096 products, near 64, of partial sums rounded at 2**-24
tier = "idiomatic"
needs = dict(numa=2)
menu = ("both", "host-bound")


def inputs(rows, cols):
    weight = torch.outer(torch.randn(rows, device="cpu"), torch.randn(cols, device="cpu"))  # large, and quickly drawn
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
    return {node: cpus for node, cpus in sorted(found.items()) if cpus}


def near_and_far():
    """The node that this process runs on, and the farthest from it; how far the two are, as the firmware says."""
    first = min(os.sched_getaffinity(0))
    near = next(node for node, cpus in nodes().items() if first in cpus)
    with open(f"{NODES}/node{near}/distance") as file:
        distances = dict(zip(nodes(), map(int, file.read().split()), strict=False))
    far = max(distances, key=lambda node: distances[node])
    return near, far, distances[far] / distances[near]


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


def written_on(node, weight):
    with one_thread_on(node):
        return weight.clone()  # new pages: each lands on the node of the core that writes it now


def prepare_baseline(x, weight):
    near, far, _ = near_and_far()
    return near, written_on(far, weight)


def baseline(placed, x, weight):
    near, weight = placed
    with one_thread_on(near):
        return torch.mv(weight, x)


def prepare_optimized(x, weight):
    near, _, _ = near_and_far()
    return near, written_on(near, weight)


def optimized(placed, x, weight):
    near, weight = placed
    with one_thread_on(near):
        return torch.mv(weight, x)


def cost(rows, cols):
    return dict(predicted_optimized=near_and_far()[2])
