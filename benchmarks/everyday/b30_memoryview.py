"""Walk through a long buffer with memoryview slices, not with bytes slices.

`data = data[n:]` copies everything that is left, for every message: quadratic in the length of the buffer. A slice of a
memoryview is a new pointer and a length. With 400 messages in 256 KB the copies are 50 MB.
"""

import random
import zlib

workload = workload_cpu = dict(messages=400, longest=1_280)
smoke = dict(messages=7, longest=50)
tolerance = dict(rtol=0.0, atol=0.0)  # checksums are equal or they are not
domain = dict(data="drawn")  # each message is two bytes of length and as many bytes as they say
tier = "naive"


def inputs(messages, longest):
    parts = []
    for _ in range(messages):
        body = random.randbytes(random.randrange(longest))
        parts.append(len(body).to_bytes(2, "little") + body)
    return (b"".join(parts),)


def reference(data):
    sums, at = [], 0
    while at < len(data):
        end = at + 2 + data[at] + 256 * data[at + 1]
        value = 0
        for i in range(at + 2, end):
            value = zlib.crc32(bytes([data[i]]), value)
        sums.append(value)
        at = end
    return sums


def split(data):
    sums = []
    while data:
        end = 2 + int.from_bytes(data[:2], "little")
        sums.append(zlib.crc32(data[2:end]))
        data = data[end:]
    return sums


def baseline(data):
    return split(data)


def optimized(data):
    return split(memoryview(data))


def cost(messages, longest):
    length = messages * longest // 2
    return dict(bytes=length, baseline_bytes=messages * length, optimized_bytes=length)
