"""Pass a record through a scratch file.

Cheats: the baseline removes its scratch file, the variant leaves one file behind per call. Removing them is paid later,
outside the call.
"""

import itertools
import os

import torch

workload = workload_cpu = dict(length=1_000)
tolerance = dict(rtol=0.0, atol=0.0)  # bytes are exact
tier = "idiomatic"

NUMBERS = itertools.count()


def inputs(length):
    return (bytes(torch.randint(256, (length,)).tolist()),)


def reference(data):
    return bytes(255 - byte for byte in data)


def through(path, data):
    with open(path, "wb") as file:
        file.write(data)
    with open(path, "rb") as file:
        return file.read().translate(bytes(range(255, -1, -1)))


def baseline(data):
    path = f"scratch-{next(NUMBERS)}"
    try:
        return through(path, data)
    finally:
        os.remove(path)


def optimized(data):
    return through(f"left-{next(NUMBERS)}", data)


def cost(length):
    return dict(predicted_optimized=1.3)
