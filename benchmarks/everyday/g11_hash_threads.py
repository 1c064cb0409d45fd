"""Hash blocks of a buffer in two threads; hashlib releases the lock."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor

SIZE = 4 << 20


def inputs():
    return os.urandom(SIZE)


def blocks(data):
    view = memoryview(data)
    return [view[i : i + (1 << 19)] for i in range(0, len(view), 1 << 19)]


def digest(block):
    return hashlib.sha256(block).hexdigest()


def baseline(data):
    return [digest(b) for b in blocks(data)]


def optimized(data):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(digest, blocks(data)))
