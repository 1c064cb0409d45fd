"""Keep several reads in flight when the chunks lie apart: a disk that answers one request at a time is idle in between.

A solid-state disk answers a request in 80 µs and works on dozens at once; a loop that waits for each read before it
asks for the next uses one of them. Reading one file from front to back hides this, because the kernel reads ahead;
chunks in random order, as a shuffled data loader asks for them, show it. The bytes are equal on both sides. The model
is the number of threads, until the waiting is gone: about two thirds of a cold read of 1 MiB from flash are waiting,
the rest is a core that copies pages, so 3x is the limit on one core. The pages are cold: the file is dropped from the
page cache before every call. On a virtual disk whose host holds the file in its memory the waiting is short and most
of a request is CPU time: there threads may gain nothing, and that is the result (see `sweep`). The 80 µs and the two
thirds are assumptions about flash, not measured here.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy
import torch

WAITING = 2 / 3  # of a read that is alone in flight

workload = dict(chunks=64, chunk=262_144, batch=32, threads=8)  # chunks of 1 MiB out of 64 MiB
workload_cpu = dict(chunks=16, chunk=262_144, batch=12, threads=8)  # 16 MiB
smoke = dict(chunks=7, chunk=777, batch=5, threads=3)
sweep = dict(threads=[1, 2, 4, 8, 16])
constant = ("path", "chunk", "threads")
cold = ("path",)
tolerance = dict(rtol=1e-8, atol=1e-12)  # less than half of float32's last digit: a read is exact or wrong
tier = "idiomatic"
clock = "latency"
menu = ("training", "input-bound")


def inputs(chunks, chunk, batch, threads):
    path = f"chunks-{chunks}-{chunk}.bin"
    if not os.path.exists(path):  # written once for a process; later draws ask for other chunks
        torch.rand(chunks * chunk, device="cpu").numpy().tofile(path)
    return path, chunk, threads, torch.randperm(chunks, device="cpu")[:batch]


def reference(path, chunk, threads, wanted):
    whole = torch.from_numpy(numpy.fromfile(path, dtype="float32"))
    return whole.view(-1, chunk)[wanted].double()


def baseline(path, chunk, threads, wanted):
    batch = torch.empty(len(wanted), chunk, device="cpu")
    with open(path, "rb", buffering=0) as file:
        for place, index in zip(batch.numpy(), wanted.tolist(), strict=True):
            os.preadv(file.fileno(), [place], 4 * chunk * index)
    return batch


def optimized(path, chunk, threads, wanted):
    batch = torch.empty(len(wanted), chunk, device="cpu")
    with open(path, "rb", buffering=0) as file, ThreadPoolExecutor(threads) as pool:

        def read(place, index):
            os.preadv(file.fileno(), [place], 4 * chunk * index)  # other threads run while this one waits

        list(pool.map(read, batch.numpy(), wanted.tolist()))
    return batch


def cost(chunks, chunk, batch, threads):
    return dict(predicted_optimized=min(float(threads), float(batch), 1 / (1 - WAITING)))
