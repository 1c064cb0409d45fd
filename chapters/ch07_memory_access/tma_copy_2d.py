"""Let the tensor memory accelerator move a 2-D tile: one thread asks for it, and no thread computes addresses.

By hand, each thread computes addresses and bounds, holds the data in registers and waits. From Hopper on, one
instruction moves a box of a tensor, edges included, while the threads do other work. On both sides the tile goes to
shared memory and back.
Predicts: the same bytes. A wide copy with enough loads in flight already reaches the memory's limit: about 1x.
No gain where: the kernel has threads, registers and instructions to spare, as here.
"""

import torch

from perfproof import cuda

SIDE, THREADS = 64, 256

workload = dict(rows=8_192, cols=8_192)  # 256 MiB in and out: larger than any L2
smoke = dict(rows=301, cols=1_004)  # ragged on purpose: tiles at both edges are cut; a row is a multiple of 16 bytes
tolerance = dict(rtol=0.0, atol=0.0)  # a copy is exact
tier = "idiomatic"
needs = dict(cuda=9.0)
menu = ("both", "memory-bound")
counters = ("TMA", "BASE")

kernels = cuda.source(__file__, defines={"SIDE": SIDE, "THREADS": THREADS})


def inputs(rows, cols):
    return torch.randn(rows, cols)


def reference(x):
    return x.double()


def aligned(x):
    x = x.contiguous()
    if x.shape[1] % 4:
        raise ValueError(f"rows of {x.shape[1]} numbers: tiles move in pieces of 16 bytes; pad rows to a multiple of 4")
    return x.clone() if x.data_ptr() % 16 else x  # a slice may begin at any element


def tiles(x):
    return -(-x.shape[1] // SIDE), -(-x.shape[0] // SIDE)


def baseline(x):
    x = aligned(x)
    out = torch.empty_like(x)
    kernels.copy_by_threads(x, out, x.shape[0], x.shape[1] // 4, grid=tiles(x), block=THREADS)
    return out


def optimized(x):
    x = aligned(x)
    out = torch.empty_like(x)
    descriptors = (cuda.tensor_map(tensor, box=(SIDE, SIDE)) for tensor in (x, out))
    kernels.copy_by_engine(*descriptors, grid=tiles(x), block=32)
    return out


def optimized_torch(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format).copy_(x)


def cost(rows, cols):
    return dict(flops=0, bytes=8 * rows * cols, predicted_optimized=1.0)
