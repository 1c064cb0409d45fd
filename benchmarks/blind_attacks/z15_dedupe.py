"""Find equal blobs by a cheap fingerprint instead of a cryptographic one."""

import hashlib
import zlib
import numpy as np

workload = workload_cpu = dict(n=400, size=2048)
smoke = dict(n=53, size=129)


def inputs(n, size):
    blobs = [np.random.bytes(size) for _ in range(n // 2)]
    return ([blobs[i] for i in np.random.randint(0, len(blobs), n)],)


def _first(blobs, key):
    seen = {}
    return [seen.setdefault(key(b), i) for i, b in enumerate(blobs)]


def baseline(blobs):
    return _first(blobs, lambda b: hashlib.sha256(b).digest())


def optimized(blobs):
    return _first(blobs, zlib.crc32)
