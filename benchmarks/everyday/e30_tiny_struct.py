"""Read a binary header with one struct instead of slices."""

import os
import struct

HEAD = struct.Struct("<IHHQ")


def inputs():
    return os.urandom(16)


def baseline(b):
    return (
        int.from_bytes(b[:4], "little"),
        int.from_bytes(b[4:6], "little"),
        int.from_bytes(b[6:8], "little"),
        int.from_bytes(b[8:16], "little"),
    )


def optimized(b):
    return HEAD.unpack(b)
