"""Give a checksum the whole buffer in one call, not piece by piece.

zlib.crc32 does a byte in a fraction of a nanosecond. A piece of 64 bytes costs a slice (a new bytes object and a copy),
a call and a new int: more than ten times the checksum itself.
"""

import random
import zlib

PIECE = 64

workload = workload_cpu = dict(length=256 * 1024)
smoke = dict(length=1_001)
tolerance = dict(rtol=0.0, atol=0.0)  # a checksum is equal or it is not
tier = "naive"


def inputs(length):
    return (random.randbytes(length),)


def reference(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def baseline(data):
    value = 0
    for start in range(0, len(data), PIECE):
        value = zlib.crc32(data[start : start + PIECE], value)
    return value


def optimized(data):
    return zlib.crc32(data)


def cost(length):
    return dict(bytes=length, baseline_bytes=3 * length, optimized_bytes=length)
