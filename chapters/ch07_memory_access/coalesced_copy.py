"""Let neighbouring threads touch neighbouring addresses.

Memory answers a warp in sectors of 32 bytes. If each thread walks a chunk of its own, one load of a warp touches 32
sectors and uses 4 bytes of each. If the warp walks together, the same load touches 4 sectors and uses all of them.
Threads and bytes are the same. `optimized_torch` is PyTorch's copy.
Predicts: 8 times fewer sectors, so up to 8x; less if a cache keeps a sector until the rest of it is asked for.
No gain where: the data stays in the L1 cache.
"""

import torch

from perfproof import cuda

ITEMS, BLOCK = 32, 256  # elements for each thread, threads of a block: the same on both sides

workload = dict(count=2**26)  # 256 MiB of float32: larger than any L2
smoke = dict(count=1_000_003)  # ragged on purpose: the last chunk is short, the last round is not full
tolerance = dict(rtol=0.0, atol=0.0)  # a copy is exact
tier = "naive"  # a CPU thread's habit, carried over
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")

kernels = cuda.source(__file__, defines={"ITEMS": ITEMS})


def inputs(count):
    return torch.randn(count)


def reference(x):
    return x.double()


def baseline(x):
    out = torch.empty_like(x)
    kernels.copy_chunks(x, out, x.numel(), grid=-(-x.numel() // (ITEMS * BLOCK)), block=BLOCK)
    return out


def optimized(x):
    out = torch.empty_like(x)
    kernels.copy_coalesced(x, out, x.numel(), grid=-(-x.numel() // (ITEMS * BLOCK)), block=BLOCK)
    return out


def optimized_torch(x):
    return torch.empty_like(x).copy_(x)


def cost(count):
    return dict(flops=0, bytes=8 * count)  # each element read once and written once, on every side
