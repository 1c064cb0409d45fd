"""Choose the block size by what limits residency: shared memory is handed out in whole blocks.

A thread needs 480 bytes of shared memory here. 256 threads, everybody's default, need 121 KiB: a second block does
not fit into the 228 KiB of a Hopper multiprocessor, and 8 warps have to hide all latency. Blocks of 64 threads need
31 KiB, seven fit, and 14 warps are there. Kernel, threads and work per thread are the same. Predicts: 14 / 8 = 1.75x,
as long as warps wait for each other's latency. No gain where: the warps that fit keep the multiprocessor busy
already.
"""

import torch

from perfproof import cuda

SYMBOLS = 120
WARPS_OF_256, WARPS_OF_64 = 8, 14  # resident on a multiprocessor with 228 KiB, of which a block takes 1 KiB for itself

workload = dict(steps=1_024, streams=236_544)  # 231 MiB; whole waves of 132 multiprocessors with either block
smoke = dict(steps=301, streams=333)  # ragged on purpose: the last block is not full
tolerance = dict(rtol=0.0, atol=0.0)  # counts are exact
tier = "idiomatic"
needs = dict(cuda=9.0)  # an older multiprocessor has less shared memory: other figures
menu = ("both", "compute-bound")
counters = ("LAUNCH",)

kernels = cuda.source(__file__, defines={"SYMBOLS": SYMBOLS})


def inputs(steps, streams):
    return torch.randint(SYMBOLS, (steps, streams), dtype=torch.uint8)


def reference(symbols):
    return torch.stack([(symbols == symbol).sum(0) for symbol in range(SYMBOLS)])


def count(symbols, block):
    symbols = symbols.contiguous()
    steps, streams = symbols.shape
    out = torch.empty(SYMBOLS, streams, dtype=torch.int32, device=symbols.device)
    kernels.count(symbols, out, steps, streams, grid=-(-streams // block), block=block, shared=4 * SYMBOLS * block)
    return out


def baseline(symbols):
    return count(symbols, block=256)


def optimized(symbols):
    return count(symbols, block=64)


def cost(steps, streams):
    bytes_moved = steps * streams + 4 * SYMBOLS * streams
    return dict(flops=0, bytes=bytes_moved, predicted_optimized=WARPS_OF_64 / WARPS_OF_256)
