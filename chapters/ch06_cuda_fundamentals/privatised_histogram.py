"""Count in shared memory, one histogram per block, and add the blocks up at the end.

Counters in global memory are updated in the L2: all multiprocessors queue for the same 32 sectors, one update after
the other. Counters in shared memory are a block's own, updated by its own multiprocessor, and only 256 sums per block
go to the L2. Both kernels read the same way with the same grid; only where the counters are differs. Predicts: the
same bytes, so the gain is the queue. No gain where: there are so many bins that updates seldom meet.
`optimized_torch` is torch.bincount.
"""

import torch

from perfproof import cuda

BINS, BLOCK = 256, 512

workload = dict(count=2**27)  # 128 MiB of bytes: larger than an H200's L2
smoke = dict(count=1_000_003)  # ragged on purpose: three values are left after the last sixteen
tolerance = dict(rtol=0.0, atol=0.0)  # counts are exact
tier = "naive"
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")
counters = ("L2", "SMEM")

kernels = cuda.source(__file__)


def inputs(count):
    return torch.randint(BINS, (count,), dtype=torch.uint8)


def reference(values):
    return torch.stack([(values == value).sum() for value in range(BINS)])


def histogram(kernel, values):
    values = cuda.aligned(values)
    counts = torch.zeros(BINS, dtype=torch.int32, device=values.device)
    kernel(values, counts, values.numel(), grid=kernel.resident_blocks(block=BLOCK), block=BLOCK)
    return counts


def baseline(values):
    return histogram(kernels.count_globally, values)


def optimized(values):
    return histogram(kernels.count_privately, values)


def optimized_torch(values):
    return torch.bincount(values, minlength=BINS).int()


def cost(count):
    return dict(flops=0, bytes=count + 4 * BINS)
