import binascii
import random

_TABLE = None


def _table():
    global _TABLE
    if _TABLE is None:
        _TABLE = []
        for i in range(256):
            c = i
            for _ in range(8):
                c = (c >> 1) ^ (0xEDB88320 if c & 1 else 0)
            _TABLE.append(c)
    return _TABLE


def inputs():
    return random.randbytes(1500)


def baseline(data):
    t, c = _table(), 0xFFFFFFFF
    for b in data:
        c = t[(c ^ b) & 255] ^ (c >> 8)
    return c ^ 0xFFFFFFFF


def optimized(data):
    return binascii.crc32(data)
