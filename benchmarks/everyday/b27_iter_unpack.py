"""Decode equal records with struct.iter_unpack, not with an unpack of each slice.

unpack in a loop makes a slice (a new bytes object) for each record, looks the format up in a cache and makes a Python
call. iter_unpack looks the format up once and walks over the buffer in C.
"""

import random
import struct

import numpy as np

FORMAT = "<id"
SIZE = struct.calcsize(FORMAT)

workload = workload_cpu = dict(records=10_000)
smoke = dict(records=9)
tolerance = dict(rtol=0.0, atol=0.0)  # bits are copied, nothing is rounded
domain = dict(data="drawn")  # whole records, and doubles that are finite
tier = "idiomatic"


def inputs(records):
    rows = [struct.pack(FORMAT, random.randrange(-(10**6), 10**6), random.gauss(0.0, 1.0)) for _ in range(records)]
    return (b"".join(rows),)


def reference(data):
    rows = []
    for start in range(0, len(data), 12):
        number = int.from_bytes(data[start : start + 4], "little", signed=True)
        value = np.frombuffer(data[start + 4 : start + 12], dtype="<f8")[0]
        rows.append((number, float(value)))
    return rows


def baseline(data):
    rows = []
    for start in range(0, len(data), SIZE):
        rows.append(struct.unpack(FORMAT, data[start : start + SIZE]))
    return rows


def optimized(data):
    return list(struct.iter_unpack(FORMAT, data))


def cost(records):
    return dict(bytes=SIZE * records, baseline_bytes=3 * SIZE * records, samples=records)
