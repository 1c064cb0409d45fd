"""Compress bytes at another level.

Honest: bytes come in, their length goes out.
"""

import binascii
import random
import zlib

workload = dict(n=20_000)
tolerance = dict(rtol=0.0, atol=0.0)  # a sum is exact
tier = "idiomatic"


def inputs(n):
    return random.randbytes(n // 2) * 2


def reference(x):
    return zlib.crc32(x)


def baseline(x):
    return zlib.crc32(x[10:], zlib.crc32(x[:10]))


def optimized(x):
    return binascii.crc32(x)


def cost(n):
    return dict(predicted_optimized=1.0)
