"""Hash the chunks of an upload in two threads: hashlib releases the GIL for large buffers."""

import hashlib
import random
from concurrent.futures import ThreadPoolExecutor

workload = dict(chunks=12, size=128 * 1024)
smoke = dict(chunks=3, size=5000)


def inputs(chunks, size):
    return [random.randbytes(size) for _ in range(chunks - 1)] + [random.randbytes(size // 3)]


def digest(chunk):
    return hashlib.sha256(chunk).digest()


def root(leaves):
    level = leaves
    while len(level) > 1:
        if len(level) % 2:
            level = level + level[-1:]
        level = [digest(level[i] + level[i + 1]) for i in range(0, len(level), 2)]
    return level[0].hex()


def baseline(chunks):
    leaves = [digest(c) for c in chunks]
    return root(leaves), [leaf.hex() for leaf in leaves]


def optimized(chunks):
    with ThreadPoolExecutor(max_workers=2) as pool:
        leaves = list(pool.map(digest, chunks))
    return root(leaves), [leaf.hex() for leaf in leaves]
