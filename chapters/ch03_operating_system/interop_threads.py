"""Give each core an operator of its own where operators are many, independent and too small to be split.

A product of 32 x 192 by 192 x 192 takes some 30 µs on one core. Split over n cores (intra-op) its parts are so short that
waking the threads and waiting for the last one takes as long as the arithmetic, and below a threshold libraries do not
split at all: the other cores idle. Independent branches, such as towers of a recommender or experts of a layer, can
run side by side instead (inter-op): one core each, no barrier before the end. The model is the number of cores or of branches, whichever
is less, over the cores that splitting would really use, here one. A hand-over to a thread takes some 20 µs, so a branch must be longer: here
four layers.

It depends on the cores that this process has (`--threads` decides). With one the model says 1x and the hand-overs cost a little:
slower is the honest result there, and the lesson is to keep the loop. Each thread of the pool runs its operators
alone, or n threads would start n each; the pool is made in preparation and waits between calls.
"""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import torch

workload = dict(branches=16, layers=4, rows=32, width=192)
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


def branch(x, layers):
    for weight in layers:
        x = torch.tanh(x @ weight)
    return x


def baseline(x, weights):
    return torch.stack([branch(*one) for one in zip(x, weights, strict=True)])


def prepare_optimized(x, weights):
    cores, threads = len(os.sched_getaffinity(0)), torch.get_num_threads()
    all_there = threading.Barrier(cores)
    pool = ThreadPoolExecutor(max_workers=cores, initializer=torch.set_num_threads, initargs=(1,))
    list(pool.map(lambda _: all_there.wait(), range(cores)))  # every thread is started, and has set its own count
    torch.set_num_threads(threads)  # threads that others start later get this one
    return pool


def optimized(pool, x, weights):
    return torch.stack(list(pool.map(branch, x, weights)))


def cost(branches, layers, rows, width):
    return dict(predicted_optimized=float(min(branches, len(os.sched_getaffinity(0)))))
