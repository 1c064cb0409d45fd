"""Encode many small buffers with one base64 call on their join, not with one call each.

Every 3 bytes become 4 letters. Buffers whose length is a multiple of 3 need no padding, so the letters of the join are
the join of the letters. A call costs about 150 ns, more than the encoding of 48 bytes.
"""

import base64
import random

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

workload = workload_cpu = dict(buffers=2_000, length=48)
smoke = dict(buffers=7, length=6)
tolerance = dict(rtol=0.0, atol=0.0)  # bytes are equal or they are not
domain = dict(buffers="drawn")  # lengths are multiples of 3: padding in the middle would change the answer
tier = "idiomatic"


def inputs(buffers, length):
    return ([random.randbytes(length) for _ in range(buffers)],)


def reference(buffers):
    letters = bytearray()
    for buffer in buffers:
        for i in range(0, len(buffer), 3):
            bits = buffer[i] << 16 | buffer[i + 1] << 8 | buffer[i + 2]
            for shift in (18, 12, 6, 0):
                letters.append(ALPHABET[bits >> shift & 63])
    return bytes(letters)


def baseline(buffers):
    return b"".join([base64.b64encode(buffer) for buffer in buffers])


def optimized(buffers):
    return base64.b64encode(b"".join(buffers))


def cost(buffers, length):
    return dict(bytes=buffers * length * 7 // 3, samples=buffers)
