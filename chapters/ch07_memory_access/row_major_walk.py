"""Keep operands in the order in which they are walked through: neighbours in the loop should be neighbours in memory.

A matrix that was stored by columns can be used as if it lay by rows: `.t()` costs nothing, and every use pays for it. A
loop along a row then touches one number per sector of 32 bytes on a GPU, or per line of 64 bytes on a CPU. A constant
can be laid out once, in the set-up; then every byte that is fetched is used. The operator is the same.
Predicts: 8 bytes and a sector become 12 per element: 3.3x, on a CPU 6x.
No gain where: lines stay in a cache until the next row comes.
"""

import torch

workload = dict(rows=8_192, cols=8_192)  # 256 MiB for each of three matrices: larger than any L2
workload_cpu = dict(rows=1_536, cols=1_536)  # 9 MiB each: larger than a core's L2
smoke = dict(rows=33, cols=77)
constant = ("scale",)
tolerance = dict(rtol=1e-6, atol=1e-7)  # one product, rounded at 2**-24
tier = "idiomatic"
menu = ("both", "memory-bound")
counters = ("COAL", "BYTES")


def inputs(rows, cols):
    return torch.randn(rows, cols), torch.randn(cols, rows).t()  # as a library that counts by columns stores it


def reference(x, scale):
    return x.double() * scale.double()


def baseline(x, scale):
    return x * scale


def prepare_optimized(x, scale):
    return scale.contiguous()


def optimized(laid_out, x, scale):
    return x * laid_out


def cost(rows, cols):
    return dict(flops=rows * cols, bytes=12 * rows * cols, baseline_bytes=(8 + 32) * rows * cols)
