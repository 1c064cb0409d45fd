"""Give each core operators of its own where they are many, independent and too small to be split.

A product of 32 x 192 by 192 x 192 takes some 30 µs on one core. Split over several (intra-op), its parts are so short
that waking the threads and waiting for the last of them takes as long as the arithmetic, and below a threshold
libraries do not split at all: the other cores idle. Independent branches, the towers of a recommender or the experts of
a layer, can run side by side instead (inter-op), each core a share of them and no barrier before the end. The model is
the number of cores, or of branches where they are fewer, over the cores that splitting would really use: one. Handing
over takes some 20 µs a thread, so a share must be much longer than that; Python's lock is free while an operator runs.

It depends on the cores that this process has (`--threads` decides). With one there is nobody to share with, and both
sides do the same. Every thread runs its share with one compute thread, or n of them would start n each. The calling
thread takes a share too; the others are made in preparation, wait between calls, and are done when a call returns.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import torch

workload = dict(branches=64, layers=4, rows=32, width=192)
workload_cpu = dict(branches=16, layers=4, rows=32, width=192)
smoke = dict(branches=5, layers=2, rows=3, width=17)
constant = ("weights",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # sums of up to 192 products near 1/14, rounded at 2**-24, over a few layers
tier = "idiomatic"
menu = ("both", "host-bound")


def inputs(branches, layers, rows, width):
    weights = torch.randn(branches, layers, width, width, device="cpu") / width**0.5  # keeps every layer near 1
    return torch.randn(branches, rows, width, device="cpu"), weights


def reference(x, weights):
    wide = x.double()
    for layer in range(weights.shape[1]):
        wide = torch.tanh(wide @ weights[:, layer].double())
    return wide


def run_branches(x, weights, out):
    for branch, layers, place in zip(x, weights, out, strict=True):
        for weight in layers:
            branch = torch.tanh(branch @ weight)
        place.copy_(branch)


def baseline(x, weights):
    out = torch.empty_like(x)
    run_branches(x, weights, out)
    return out


def prepare_optimized(x, weights):
    others = len(os.sched_getaffinity(0)) - 1
    return [ThreadPoolExecutor(max_workers=1) for _ in range(others)]


def optimized(others, x, weights):
    out, threads = torch.empty_like(x), torch.get_num_threads()
    first, *shares = (slice(start, None, len(others) + 1) for start in range(len(others) + 1))
    torch.set_num_threads(1)
    try:
        handed = [
            other.submit(alone, x[share], weights[share], out[share])
            for other, share in zip(others, shares, strict=True)
        ]
        run_branches(x[first], weights[first], out[first])
        for share in handed:
            share.result()
    finally:
        torch.set_num_threads(threads)
    return out


def alone(x, weights, out):
    torch.set_num_threads(1)  # the count is a thread's own
    run_branches(x, weights, out)


def cost(branches, layers, rows, width):
    return dict(predicted_optimized=float(min(branches, len(os.sched_getaffinity(0)))))
