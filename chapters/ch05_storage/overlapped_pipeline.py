"""Read the next chunk while this one is decoded and the one before it is copied: stages that take turns add up.

A chunk is read from disk, decoded (16-bit numbers with a scale for each channel become float32) and copied to where it
is needed. One after the other a chunk takes the sum of the three; at the same time it takes the longest of them. The
disk, the CPU and the link to the GPU are three devices, and in a loop two of them always wait. With a read of 2 bytes
a value at 2 GB/s, and decoding at 2 ns a value, the sum is 3 ns, the longest 2 ns: 1.5x, less what starting two
threads and handing over costs. At best it is 3x, where all stages are alike. A chunk has to be long against a
hand-over, which takes some 20 µs. The pages are cold: the file is dropped from the page cache before every call. On
one core only the waiting for the disk can be hidden; where a virtual disk answers out of its host's memory there is
little of it, and the hand-overs cost more: expect to lose there, and more so beside other work.
"""

import os
import queue
import threading

import numpy
import torch

READ, DECODE = 1.0, 2.0  # nanoseconds a value, each on its own

workload = dict(chunks=64, rows=8_192, channels=64)  # 1 MiB of 16-bit numbers in a chunk
workload_cpu = dict(chunks=6, rows=8_192, channels=64)
smoke = dict(chunks=3, rows=77, channels=13)
constant = ("path", "shape")
cold = ("path",)
tolerance = dict(rtol=1e-6, atol=1e-6)  # one product in float32, rounded at 2**-24
tier = "idiomatic"
clock = "latency"
menu = ("training", "input-bound")


def inputs(chunks, rows, channels):
    path = f"features-{chunks}-{rows}-{channels}.bin"
    if not os.path.exists(path):  # written once for a process; later draws bring another scale
        numpy.random.randint(-32_000, 32_000, size=(chunks, rows, channels), dtype="int16").tofile(path)
    return path, [chunks, rows, channels], torch.rand(channels) / 32_000 + 1e-5


def reference(path, shape, scale):
    with open(path, "rb") as file:
        whole = numpy.frombuffer(file.read(), dtype="int16").reshape(shape)
    return torch.tensor(whole.astype("float64"), device=scale.device) * scale.double()


def read(file, shape):
    chunk = numpy.empty(shape[1:], dtype="int16")
    file.readinto(chunk)
    return torch.from_numpy(chunk)


def decode(chunk, scale):
    return chunk.float().mul_(scale)


def baseline(path, shape, scale):
    result, host_scale = torch.empty(shape, device=scale.device), scale.cpu()
    with open(path, "rb", buffering=0) as file:
        for place in result:
            place.copy_(decode(read(file, shape), host_scale))
    return result


def optimized(path, shape, scale):
    result, host_scale = torch.empty(shape, device=scale.device), scale.cpu()
    raw, ready = queue.Queue(maxsize=4), queue.Queue(maxsize=4)  # a stage may run ahead, but not away

    def read_all():
        with open(path, "rb", buffering=0) as file:
            for _ in range(shape[0]):
                raw.put(read(file, shape))

    def decode_all():
        for _ in range(shape[0]):
            ready.put(decode(raw.get(), host_scale))

    stages = [threading.Thread(target=stage) for stage in (read_all, decode_all)]
    for stage in stages:
        stage.start()
    for place in result:
        place.copy_(ready.get())
    for stage in stages:
        stage.join()
    return result


def cost(chunks, rows, channels):
    return dict(predicted_optimized=(READ + DECODE) / max(READ, DECODE))
