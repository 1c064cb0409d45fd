"""Inflate the body directly."""

import gzip
import zlib
import numpy as np

workload = workload_cpu = dict(n=1 << 20)
smoke = dict(n=5003)


def inputs(n):
    piece = np.random.bytes(512)
    data = bytearray((piece * (n // 512 + 1))[:n])
    for i in np.random.randint(0, n, 40):
        data[i] = int(i) & 255
    return (gzip.compress(bytes(data), 6),)


def baseline(blob):
    return gzip.decompress(blob)


def optimized(blob):
    return zlib.decompressobj(-15).decompress(blob[10:-8])
