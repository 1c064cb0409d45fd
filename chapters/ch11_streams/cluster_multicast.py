"""If the blocks of a cluster need the same data, fetch it once and send it to all of them.

Quantised weights with a codebook per group: eight blocks decode a group, and each needs its codebook of 64 KiB. If each
block loads all of it, eight times as many bytes come from the L2 cache as from memory, and the L2 is the limit. With
multicast each block loads an eighth, and the copy engine writes it to the shared memory of all eight. Predicts: bytes
through the L2 per block, 112 KiB against 56, or memory's limit: about 1.5x. No gain if blocks decode long parts, so
that the codebook hardly counts. `optimized_torch` gathers.
"""

import torch

from perfproof import cuda

ENTRIES, THREADS, BLOCKS = 16_384, 512, 8  # of a codebook: 64 KiB; of a block; of a cluster
L2, MEMORY = 5.5e12, 4.2e12  # bytes per second, estimates for an H200

workload = dict(groups=1_024, count=65_536)  # 128 MiB of codes, 64 MiB of codebooks, 256 MiB out: larger than any L2
smoke = dict(groups=3, count=1_003)  # ragged on purpose: no group but the first is aligned, and parts differ
constant = ("codebooks",)
domain = dict(codes="drawn")  # a code is a place in its codebook
tolerance = dict(rtol=0.0, atol=0.0)  # values are copied
tier = "idiomatic"
needs = dict(cuda=9.0)
menu = ("inference", "memory-bound")
counters = ("TMA", "DSM", "BASE")

kernels = cuda.source(__file__, defines={"ENTRIES": ENTRIES, "THREADS": THREADS, "BLOCKS": BLOCKS})


def inputs(groups, count):
    return torch.randint(ENTRIES, (groups, count), dtype=torch.int16), torch.randn(groups, ENTRIES)


def reference(codes, codebooks):
    return codebooks.double().gather(1, codes.long())


def decode(kernel, codes, codebooks, cluster):
    codes, codebooks = codes.contiguous(), codebooks.contiguous()
    codes, codebooks = (one.clone() if one.data_ptr() % 16 else one for one in (codes, codebooks))
    groups, count = codes.shape
    out = torch.empty(groups, count, dtype=codebooks.dtype, device=codes.device)
    part = -(-count // (8 * BLOCKS)) * 8  # codes per block, in vectors of 8
    aligned = count % 8 == 0  # otherwise the next group begins anywhere
    launch = dict(grid=groups * BLOCKS, block=THREADS, shared=4 * ENTRIES, cluster=cluster)
    kernel(codes, codebooks, out, count, part, aligned, **launch)
    return out


def baseline(codes, codebooks):
    return decode(kernels.each_loads_all, codes, codebooks, None)


def optimized(codes, codebooks):
    return decode(kernels.each_sends_a_piece, codes, codebooks, BLOCKS)


def optimized_torch(codes, codebooks):
    return codebooks.gather(1, codes.long())


def cost(groups, count):
    codebook, rest = 4 * groups * ENTRIES, 6 * groups * count
    memory = (codebook + rest) / MEMORY
    through = [max((loads * codebook + rest) / L2, memory) for loads in (BLOCKS, 1)]
    return dict(flops=0, bytes=codebook + rest, predicted_optimized=through[0] / through[1])
