"""Map a file that you only read, so that it is used where it lies instead of being copied first.

`fromfile` allocates a buffer, copies the pages of the file into it and then reads the copy: every byte is read from
the page cache, written (to fresh pages, which the system zeroes before) and read again, 4 passes over memory. A
mapping puts the page cache itself into the address space: 1 pass. So bytes predict 4x where the file is in the page
cache, and it is here: the page cache is warm, nothing is dropped. Both pay for page faults, which no byte count sees:
the mapping one for every 64 KiB that it touches first, the buffer one for every 4 KiB, so where faults are dear, as in
a virtual machine, the ratio is another one than 4x. Do not map what is cold and read at random: each fault then waits
for the disk, one page at a time.
"""

import os

import numpy
import torch

workload = dict(rows=65_536, width=256)  # 64 MiB: a shard of embeddings, past any cache
workload_cpu = dict(rows=8_192, width=256)  # 8 MiB
smoke = dict(rows=77, width=33)
constant = ("path", "rows")
tolerance = dict(rtol=1e-5, atol=2e-5)  # sums near 1 of up to 256 products, each rounded at 2**-24
tier = "idiomatic"
clock = "latency"
tour = True
menu = ("both", "input-bound")


def inputs(rows, width):
    path = f"embeddings-{rows}-{width}.bin"
    if not os.path.exists(path):  # written once for a process; later draws ask it something else
        numpy.random.randn(rows, width).astype("float32").tofile(path)
    return path, rows, torch.randn(width) / width**0.5


def reference(path, rows, query):
    with open(path, "rb") as file:
        table = torch.tensor(numpy.frombuffer(file.read(), dtype="float32").astype("float64"), device=query.device)
    return table.view(rows, -1) @ query.double()


def baseline(path, rows, query):
    table = torch.from_numpy(numpy.fromfile(path, dtype="float32"))
    return table.view(rows, -1).to(query.device) @ query


def optimized(path, rows, query):
    table = torch.from_file(path, shared=False, size=rows * len(query), dtype=torch.float32, device="cpu")
    return table.view(rows, -1).to(query.device) @ query


def cost(rows, width):
    table = 4 * rows * width
    return dict(flops=2 * rows * width, bytes=table, baseline_bytes=4 * table)
