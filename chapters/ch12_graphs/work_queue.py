"""Let warps take the next piece of work from a queue on the device if pieces differ in length.

Neighbouring segments come from one source and have similar lengths. If each warp gets the same number of neighbours,
some warps have many times the average work, and the kernel takes as long as the slowest warp. If each warp increments a
counter to get its next segments, all end at about the same time. It takes four at once, because a counter serves one
increment after the other. `optimized_blocks` starts one warp per segment: the hardware's scheduler is a queue too.
Predicts: the largest share at the rate of one warp, over all bytes at the rate of the memory: about 3.4x.
No gain where: pieces have equal lengths.
"""

import math
from statistics import NormalDist

import torch

from perfproof import cuda

SPREAD, ALIKE, MEAN = 0.8, 64, 512  # of the logarithm of lengths; segments of a source; values of a segment
TAKEN, INCREMENT = 4, 1.4e-9  # segments per increment; seconds of one, estimated
WARPS = 132 * 64  # that run at once on an H200
ALONE, BANDWIDTH = 1.5e9, 4.2e12  # bytes per second, estimates: of one warp with 1 KiB in flight; of the memory

workload = dict(segments=131_072)  # about 256 MiB of values: larger than any L2
smoke = dict(segments=203)  # ragged on purpose: shares differ, and the last block is not full
domain = dict(offsets="drawn")  # where segments begin
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 sums of squares in another order
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "load imbalance")

kernels = cuda.source(__file__, defines={"TAKEN": TAKEN})


def inputs(segments):
    sources = torch.randn(-(-segments // ALIKE)).repeat_interleave(ALIKE)[:segments]
    lengths = (MEAN * torch.exp(SPREAD * sources - SPREAD**2 / 2) * (0.5 + torch.rand(segments))).long() + 1
    ends = (lengths.double() * (MEAN * segments / lengths.sum())).cumsum(0).long()  # the same total in every draw
    ends[-1] = MEAN * segments
    return torch.randn(MEAN * segments), torch.nn.functional.pad(ends, (1, 0))


def reference(values, offsets):
    running = torch.nn.functional.pad(values.double().square().cumsum(0), (1, 0))
    return running[offsets[1:]] - running[offsets[:-1]]


def launch(kernel, values, offsets, grid, *more):
    values, offsets, segments = values.contiguous(), offsets.contiguous(), len(offsets) - 1
    out = torch.empty(segments, dtype=values.dtype, device=values.device)
    kernel(values, offsets, out, segments, *more, grid=grid, block=256)
    return out


def baseline(values, offsets):
    return launch(kernels.static_split, values, offsets, kernels.static_split.resident_blocks(block=256))


def optimized(values, offsets):
    following = torch.zeros(1, dtype=torch.int32, device=values.device)
    return launch(kernels.from_queue, values, offsets, kernels.from_queue.resident_blocks(block=256), following)


def optimized_blocks(values, offsets):
    return launch(kernels.block_scheduler, values, offsets, -(-(len(offsets) - 1) // 8))


def cost(segments):
    """The warp with the longest source, which the normal distribution tells, against the memory's limit."""
    longest = NormalDist().inv_cdf(1 - 1 / max(2, segments / ALIKE))
    largest = math.exp(SPREAD * longest - SPREAD**2 / 2)
    count = segments * MEAN
    slowest = largest * 4 * count / WARPS / ALONE
    together = max(4 * count / BANDWIDTH, segments / TAKEN * INCREMENT)
    return dict(flops=2 * count, bytes=4 * count, predicted_optimized=max(1.0, slowest / together))
