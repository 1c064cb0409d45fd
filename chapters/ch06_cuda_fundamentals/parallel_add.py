"""Launch enough blocks to fill the whole GPU: one block fills one multiprocessor.

A block runs on one multiprocessor and stays there. A first kernel is often launched as `<<<1, 1024>>>`: it is right,
and 131 of the 132 multiprocessors of an H200 have nothing to do. Here the same kernel is launched with one block, and
with as many as the device holds at once. Nothing else changes. Predicts: at most the number of multiprocessors, less
if memory is the limit first. No gain where: the vector fits one block. `optimized_torch` is what the kernel is held
against.
"""

import torch

from perfproof import cuda

BLOCK = 1024

workload = dict(count=2**25)  # 384 MiB over three vectors: larger than any L2
smoke = dict(count=1_000_003)  # ragged on purpose: the last round is not full
tolerance = dict(rtol=1e-6, atol=1e-7)  # one sum, rounded at 2**-24
tier = "naive"  # a first kernel
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")

kernels = cuda.source(__file__)


def inputs(count):
    return torch.randn(count), torch.randn(count)


def reference(x, y):
    return x.double() + y.double()


def add(x, y, blocks):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    kernels.add(x, y, out, x.numel(), grid=blocks, block=BLOCK)
    return out


def baseline(x, y):
    return add(x, y, blocks=1)


def optimized(x, y):
    return add(x, y, blocks=kernels.add.resident_blocks(block=BLOCK))


def optimized_torch(x, y):
    return x + y


def cost(count):
    return dict(flops=count, bytes=12 * count)  # two reads and a write per element, on every side
