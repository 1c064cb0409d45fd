"""Put a large table that is read at random on huge pages: one `madvise`, and its addresses are found again.

Every access needs the physical address of its page. A core remembers about two thousand of them: 8 MiB in pages of
4 KiB, 4 GiB in pages of 2 MiB. Beyond that each lookup first walks the page tables, which for a table of 256 MiB is
another half megabyte to read from, and in a virtual machine the walk has two dimensions. If a walk takes half as long
as the lookup itself, the model says 1.5x; more for larger tables, whose page tables leave the caches too. Lookups,
bytes and instructions are equal on both sides. The baseline takes what the system gives by default. Where that is huge
pages already (`always` in /sys/kernel/mm/transparent_hugepage/enabled), or where they are switched off (`never`), the
result is "same"; `madvise` is what most servers have. Reading in order gains little: there a page lasts for long.
"""

import mmap

import torch

LOOKUP, WALK = 10e-9, 5e-9  # seconds, several of them under way at a time

workload = dict(rows=16_384, cols=16_384, lookups=65_536)  # a table of 1 GiB
workload_cpu = dict(rows=8_192, cols=8_192, lookups=65_536)  # 256 MiB
smoke = dict(rows=129, cols=77, lookups=1_001)
constant = ("left", "right")
tolerance = dict(rtol=1e-6, atol=1e-6)  # one float32 sum of values near 1, rounded at 2**-24
tier = "idiomatic"
clock = "latency"  # the host's own work: the events of a GPU would not see it
menu = ("both", "memory-bound")


def inputs(rows, cols, lookups):
    """The table is the sum of a column and a row: quick to draw, and its entries are known without it."""
    left, right = torch.randn(rows, device="cpu"), torch.randn(cols, device="cpu")
    return left, right, torch.randint(rows * cols, (lookups,), device="cpu")


def reference(left, right, index):
    return left.double()[index // len(right)] + right.double()[index % len(right)]


def mapped_table(left, right, advice):
    size = 4 * len(left) * len(right)
    mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if advice is not None:
        mapping.madvise(advice)  # before the first touch: pages are chosen then
    table = torch.frombuffer(mapping, dtype=torch.float32)
    torch.add(left[:, None], right, out=table.view(len(left), len(right)))
    return table


def prepare_baseline(left, right, index):
    return mapped_table(left, right, None)


def baseline(table, left, right, index):
    return table.index_select(0, index)


def prepare_optimized(left, right, index):
    return mapped_table(left, right, mmap.MADV_HUGEPAGE)


def optimized(table, left, right, index):
    return table.index_select(0, index)


def cost(rows, cols, lookups):
    return dict(predicted_optimized=(LOOKUP + WALK) / LOOKUP)
