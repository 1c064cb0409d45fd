"""Give each thread several elements in a grid-stride loop, so that a block pays for its set-up once.

A block starts, copies a table of 256 entries to shared memory and waits for it. To decode 1,024 codes afterwards takes
about as long as this set-up. If the grid has only as many blocks as fit on the device, each block pays once and decodes
hundreds of such pieces. The kernel is the same; only the grid changes. `optimized_torch` indexes the table.
Predicts: the same bytes from memory; the gain is the set-up.
No gain where: a block has no set-up.
"""

import torch

from perfproof import cuda

BLOCK = 256  # threads; each takes four codes in a step

workload = dict(count=2**27)  # 128 MiB of codes, 512 MiB of numbers: larger than any L2
smoke = dict(count=1_000_003)  # ragged on purpose: three codes are left after the last four
tolerance = dict(rtol=0.0, atol=0.0)  # an entry of the table is copied
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("inference", "memory-bound")

kernels = cuda.source(__file__)


def inputs(count):
    return torch.randint(256, (count,), dtype=torch.uint8), torch.randn(256)


def reference(codes, table):
    return table.double()[codes.long()]


def aligned(codes):
    codes = codes.contiguous()
    return codes.clone() if codes.data_ptr() % 4 else codes  # a slice may begin at any byte


def baseline(codes, table):
    codes, table = aligned(codes), table.contiguous()
    out = torch.empty(codes.numel(), device=codes.device)
    pieces = -(-codes.numel() // (4 * BLOCK))  # a block for every 1,024 codes
    kernels.decode(codes, table, out, codes.numel(), grid=pieces, block=BLOCK)
    return out


def optimized(codes, table):
    codes, table = aligned(codes), table.contiguous()
    out = torch.empty(codes.numel(), device=codes.device)
    resident = kernels.decode.resident_blocks(block=BLOCK)
    kernels.decode(codes, table, out, codes.numel(), grid=resident, block=BLOCK)
    return out


def optimized_torch(codes, table):
    return table.index_select(0, codes.int())  # an index has four bytes at least: one pass more to widen the codes


def cost(count):
    # The table is read from the L2, not from memory. Widening reads one byte and writes four, and they are read again.
    return dict(flops=0, bytes=5 * count + 1_024, optimized_torch_bytes=13 * count + 1_024)
