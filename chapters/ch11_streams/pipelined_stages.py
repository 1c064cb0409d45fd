"""Unpack the next block on a second thread while this one is analysed.

Recordings are stored compressed. Unpacking a block and computing its spectrum take about as long, and in one loop they
take turns on one core. Both run in C without Python's lock, so a producer thread can be one block ahead: the time per
block falls from the sum of the stages to the longer one, as on two streams of a GPU.
Predicts: 12 blocks of two like stages take 13 stages instead of 24, 1.85x. No gain if there is one core, if stages
already use all cores, or if one stage is much the longer.
"""

import os
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy
import torch

FRAME = 1_024
UNPACK, ANALYSE = 1.0, 1.0  # relative to each other, estimated

workload = dict(blocks=12, frames=256)  # 512 KiB of samples per block
workload_cpu = dict(blocks=12, frames=256)
smoke = dict(blocks=3, frames=7)
domain = dict(packed="drawn")  # only `inputs` makes bytes that can be unpacked
tolerance = dict(rtol=1e-9, atol=1e-9)  # a transform in float64, and the mean of logarithms
tier = "idiomatic"
clock = "latency"
menu = ("training", "input-bound")


def inputs(blocks, frames):
    """16-bit sounds, each with a pitch and noise of its own."""
    time = torch.arange(frames * FRAME, device="cpu")
    packed = []
    for pitch in torch.rand(blocks, device="cpu"):
        sound = 200 * torch.sin(pitch * time) + 20 * torch.randn(len(time), device="cpu")
        packed.append(zlib.compress(sound.to(torch.int16).numpy().tobytes(), 1))
    return (packed,)


def reference(packed):
    rows = []
    for block in packed:
        samples = torch.frombuffer(bytearray(zlib.decompress(block)), dtype=torch.int16).double()
        power = torch.fft.rfft(samples.view(-1, FRAME)).abs().square()
        rows.append(torch.log(1 + power).mean(0))
    return torch.stack(rows).numpy()


def unpack(block):
    return numpy.frombuffer(zlib.decompress(block), dtype="int16").reshape(-1, FRAME)


def analyse(samples):
    spectrum = numpy.fft.rfft(samples)
    return numpy.log1p(spectrum.real**2 + spectrum.imag**2).mean(0)


def baseline(packed):
    return numpy.stack([analyse(unpack(block)) for block in packed])


def prepare_optimized(packed):
    return ThreadPoolExecutor(max_workers=1)


def optimized(producer, packed):
    rows, coming = [], producer.submit(unpack, packed[0])
    for number in range(len(packed)):
        samples = coming.result()
        if number + 1 < len(packed):
            coming = producer.submit(unpack, packed[number + 1])
        rows.append(analyse(samples))
    return numpy.stack(rows)


def cost(blocks, frames):
    in_turn = blocks * (UNPACK + ANALYSE)
    side_by_side = UNPACK + (blocks - 1) * max(UNPACK, ANALYSE) + ANALYSE
    return dict(predicted_optimized=in_turn / side_by_side if len(os.sched_getaffinity(0)) > 1 else 1.0)
