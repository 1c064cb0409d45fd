"""Copy data to the GPU compressed and decode it there: the link is narrow, and the GPU has bandwidth to spare.

Sorted identifiers are kept as differences of 4 bits, two in a byte, in blocks with a first value each, so that blocks
are decoded independently. Decoding on the CPU takes about 1 ns a value on one core (unpack, running sum), and then 4
bytes a value cross the link: at 10 GB/s from pageable memory 0.4 ns more. Sent as they are it is half a byte, 0.05 ns,
and the GPU decodes at some 40 bytes of traffic a value, 0.02 ns: 20x. It is a toy codec: real ones (LZ4, Snappy, zstd)
are far harder to decode in parallel and gain 2 to 5 times. What carries over is the count: bytes over the link before
and after, and which side decodes. The data is in memory, no disk is read: the page cache plays no part.
"""

import torch

CPU_DECODE, GPU_DECODE, LINK = 1e-9, 0.02e-9, 10e9  # seconds a value, seconds a value, bytes a second

workload = dict(blocks=16_384, block=1_024)  # 16 M identifiers: 8 MiB packed, 64 MiB decoded
smoke = dict(blocks=5, block=78)
tolerance = dict(rtol=0.0, atol=0.0)  # whole numbers: exact or wrong
tier = "idiomatic"
clock = "latency"
needs = dict(cuda=7.0)
menu = ("training", "input-bound")


def inputs(blocks, block):
    words = torch.randint(-(2**62), 2**62, (blocks * block // 16 + 1,), device="cpu")  # eight bytes at a draw
    packed = words.view(torch.uint8)[: blocks * block // 2].view(blocks, block // 2)
    return packed.clone(), torch.randint(2**20, (blocks,), dtype=torch.int32)


def reference(packed, first):
    differences = torch.empty(packed.shape[0], 2 * packed.shape[1], dtype=torch.int64, device="cpu")
    differences[:, 0::2] = packed.cpu().long() % 16
    differences[:, 1::2] = packed.cpu().long() // 16
    return (first.cpu().long()[:, None] + differences.cumsum(1)).int().to(first.device)


def decode(packed):
    """Differences from the first value of a block: low halves of the bytes at even places, high halves at odd ones."""
    halves = torch.stack((packed & 15, packed >> 4), dim=-1)
    return halves.flatten(1).cumsum(1, dtype=torch.int32)


def baseline(packed, first):
    return decode(packed).to(first.device) + first[:, None]


def optimized(packed, first):
    return decode(packed.to(first.device)) + first[:, None]


def cost(blocks, block):
    return dict(predicted_optimized=(CPU_DECODE + 4 / LINK) / (GPU_DECODE + 0.5 / LINK))
