import random
import struct

import numpy as np

RECORD = struct.Struct("<IHhfd")
DTYPE = np.dtype([("id", "<u4"), ("port", "<u2"), ("temp", "<i2"), ("level", "<f4"), ("time", "<f8")])


def inputs():
    parts = []
    for _ in range(1500):
        parts.append(
            RECORD.pack(
                random.getrandbits(32),
                random.getrandbits(16),
                random.randint(-400, 900),
                random.gauss(0, 1),
                1.7e9 + random.random() * 1e6,
            )
        )
    return b"".join(parts)


def baseline(data):
    rows = []
    for offset in range(0, len(data), RECORD.size):
        rows.append(RECORD.unpack_from(data, offset))
    return np.array(rows, dtype=DTYPE)


def optimized(data):
    return np.frombuffer(data, dtype=DTYPE).copy()
