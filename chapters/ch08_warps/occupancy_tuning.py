"""If shared memory limits the blocks of a multiprocessor, give each block more threads.

A table of 96 KiB in shared memory leaves room for two blocks on a multiprocessor of an H200. Blocks of 256 threads are
then 512 of its 2,048 threads: too few requests in flight to hide the latency of memory. Blocks of 1,024 threads fill
it. The kernel, the blocks and the bytes are the same. Predicts: bandwidth is requests in flight over latency until
memory is saturated, 2x here. No gain if the smaller blocks already saturate memory: with four times as much in flight
per thread they would. `optimized_torch` looks the table up through the caches.
"""

import torch

from perfproof import cuda

ENTRIES = 24_576  # 96 KiB
SMALL, LARGE = 256, 1_024  # threads of a block
IN_FLIGHT = 24  # bytes of a thread: four codes and four values
LATENCY, BANDWIDTH, MULTIPROCESSORS = 0.8e-6, 4.0e12, 132  # estimates for memory of an H200 under load

workload = dict(count=67_108_864)  # 128 MiB of codes, 256 MiB of values: larger than any L2
smoke = dict(count=100_003)  # ragged on purpose: the last three codes are no vector
constant = ("table",)
domain = dict(codes="drawn")  # a code is a place in the table
tolerance = dict(rtol=0.0, atol=0.0)  # values are copied
tier = "idiomatic"  # 256 threads are what most kernels are launched with
needs = dict(cuda=8.0)
counters = ("BASE.warps_active", "BASE.dram_peak_share")
menu = ("inference", "memory-bound")

kernels = cuda.source(__file__)


def inputs(count):
    return torch.randint(ENTRIES, (count,), dtype=torch.int16), torch.randn(ENTRIES)


def reference(codes, table):
    return table.double()[codes.long()]


def decode(codes, table, block):
    codes, table = codes.contiguous(), table.contiguous()
    codes = codes if codes.data_ptr() % 8 == 0 else codes.clone()  # a view may begin between two vectors
    out = torch.empty(codes.shape, dtype=table.dtype, device=codes.device)
    shared = table.numel() * 4
    grid = kernels.decode.resident_blocks(block=block, shared=shared)  # the table is loaded once per resident block
    kernels.decode(codes, table, out, table.numel(), codes.numel(), grid=grid, block=block, shared=shared)
    return out


def baseline(codes, table):
    return decode(codes, table, SMALL)


def optimized(codes, table):
    return decode(codes, table, LARGE)


def optimized_torch(codes, table):
    return torch.take(table, codes.long())


def cost(count):
    reached = [min(2 * block * MULTIPROCESSORS * IN_FLIGHT / LATENCY, BANDWIDTH) for block in (SMALL, LARGE)]
    return dict(
        flops=0,
        bytes=6 * count,
        optimized_torch_bytes=(2 + 8 + 8 + 4) * count,  # its codes have to be 8-byte numbers
        optimized_torch_launches=2,
        launches=1,
        predicted_optimized=reached[1] / reached[0],
    )
