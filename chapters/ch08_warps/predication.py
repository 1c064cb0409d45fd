"""Replace a branch that divides a warp by a selection.

Quantising to four bits walks a tree of 15 limits. The lanes of a warp take different branches, so the warp runs all 15
comparisons, with jumps between them. If the code selects the next limit instead of branching, every lane runs the same
four comparisons and eleven selections. `optimized_torch` is `torch.bucketize`.
Predicts: about 52 instructions per element become 22: at most 2.4x, less if memory limits the second version.
No gain where: branches are short; the compiler replaces those itself.
"""

import itertools
import struct

import torch

from perfproof import cuda

BLOCK = 256
LEVELS = (  # the sixteen values of 4-bit NormalFloat: quantiles of the normal distribution, scaled to 1
    *(-1.0, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0.0),
    *(0.0796, 0.1609, 0.2461, 0.3379, 0.4407, 0.5626, 0.7230, 1.0),
)
PACKED = struct.pack("15f", *((low + high) / 2 for low, high in itertools.pairwise(LEVELS)))
LIMITS = struct.unpack("15f", PACKED)  # as float32 has them
BRANCHED, SELECTED = 52, 22  # instructions per element: the size of the binary for sm_90, less what surrounds them
INSTRUCTIONS, BANDWIDTH = 132 * 128 * 1.755e9, 4.0e12  # per second on an H200: of all lanes, and bytes (an estimate)

workload = dict(count=134_217_728)  # 512 MiB of float32: larger than any L2
smoke = dict(count=100_003)  # ragged on purpose: the last three values are no vector
tolerance = dict(rtol=0.0, atol=0.0)  # whole numbers
tier = "idiomatic"
needs = dict(cuda=8.0)
counters = ("DIV", "BASE.issue_active", "BASE.dram_peak_share")
menu = ("inference", "compute-bound")

kernels = cuda.source(__file__)


def inputs(count):
    return torch.randn(count) / 3


def reference(x):
    wide = x.double()
    return sum((wide > limit).to(torch.uint8) for limit in LIMITS)


def quantised(kernel, x):
    x = x.contiguous()
    x = x if x.data_ptr() % 16 == 0 else x.clone()  # a view may begin between two vectors
    out = torch.empty(x.shape, dtype=torch.uint8, device=x.device)
    threads = x.numel() // 4 + x.numel() % 4  # one for each vector, one for each value that is left
    kernel(x, out, PACKED, x.numel(), grid=-(-threads // BLOCK), block=BLOCK)
    return out


def baseline(x):
    return quantised(kernels["quantise<true>"], x)


def optimized(x):
    return quantised(kernels["quantise<false>"], x)


def prepare_optimized_torch(x):
    return torch.tensor(LIMITS, device=x.device)


def optimized_torch(limits, x):
    return torch.bucketize(x, limits, out_int32=True).to(torch.uint8)


def cost(count):
    seconds = [max(each / INSTRUCTIONS, 5 / BANDWIDTH) for each in (BRANCHED, SELECTED)]  # per element
    return dict(
        flops=0,
        bytes=5 * count,
        optimized_torch_bytes=(8 + 5) * count,  # its 4-byte numbers are converted
        optimized_torch_launches=2,
        launches=1,
        predicted_optimized=seconds[0] / seconds[1],
    )
