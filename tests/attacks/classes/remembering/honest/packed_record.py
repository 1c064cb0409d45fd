"""Read records with a layout that is compiled once.

Honest: what is kept is the layout of a record. The bytes of each call are read.
"""

import struct

import torch

FIELDS = 6
LAYOUT = struct.Struct("<6i")

workload = workload_cpu = dict(records=100)
smoke = dict(records=3)
tolerance = dict(rtol=0.0, atol=0.0)  # integers are exact
tier = "idiomatic"


def inputs(records):
    values = torch.randint(1_000_000, (records, FIELDS)).tolist()
    return (b"".join(struct.pack("<6i", *row) for row in values),)


def reference(data):
    numbers = [int.from_bytes(data[start : start + 4], "little", signed=True) for start in range(0, len(data), 4)]
    return [sum(numbers[start : start + FIELDS]) for start in range(0, len(numbers), FIELDS)]


def baseline(data):
    size = struct.calcsize("<6i")
    return [sum(struct.unpack("<6i", data[start : start + size])) for start in range(0, len(data), size)]


def optimized(data):
    return [sum(record) for record in LAYOUT.iter_unpack(data)]


def cost(records):
    return dict(predicted_optimized=1.6)
