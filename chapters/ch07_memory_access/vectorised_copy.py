"""Load and store 16 bytes per thread: a wide access moves more bytes for one instruction and one slot in flight.

Memory takes about a microsecond to answer, so an H200 needs 4 MB on their way to be busy. What a multiprocessor can
have in flight is threads times loads times bytes per load. With 2-byte loads and four loads per thread that is 16
KiB, with 16-byte loads 128 KiB. Both kernels are one template and issue four loads per thread. Predicts: the same
bytes; up to 8x fewer instructions. No gain where: narrow loads have enough in flight already. `optimized_torch` is
PyTorch's copy.
"""

import torch

from perfproof import cuda

ITEMS, BLOCK = 4, 256

workload = dict(count=2**27)  # 256 MiB of float16: larger than any L2
smoke = dict(count=1_000_003)  # ragged on purpose: three elements do not fill a word
tolerance = dict(rtol=0.0, atol=0.0)  # a copy is exact
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")
counters = ("COAL", "BASE")

kernels = cuda.source(__file__, defines={"ITEMS": ITEMS})


def inputs(count):
    return torch.randn(count, dtype=torch.float16)


def reference(x):
    return x.double()


def copy(kernel, x, width):
    x = x.contiguous()
    x = x.clone() if x.data_ptr() % (2 * width) else x  # a slice may begin at any element
    out = torch.empty_like(x)
    blocks = -(-x.numel() // (width * ITEMS * BLOCK))
    kernel(x, out, x.numel(), grid=blocks, block=BLOCK)
    return out


def baseline(x):
    return copy(kernels["copy<unsigned short>"], x, width=1)


def optimized(x):
    return copy(kernels["copy<uint4>"], x, width=8)


def optimized_torch(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format).copy_(x)


def cost(count):
    return dict(flops=0, bytes=4 * count)  # each element read once and written once, on every side
