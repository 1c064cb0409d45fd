"""Compress blocks in a kept thread pool."""

import random
import zlib
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(2)


def inputs():
    return ([random.randbytes(8192) + b"abc" * 8192 for _ in range(8)],)


def baseline(blocks):
    return [zlib.compress(b, 6) for b in blocks]


def optimized(blocks):
    return list(pool.map(lambda b: zlib.compress(b, 6), blocks))
