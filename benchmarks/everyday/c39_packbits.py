"""Pack booleans into bytes with numpy.packbits, not with a loop over eight shifts.

The loop goes over the array eight times, each time with a stride of eight bytes, and writes two temporaries. packbits
reads eight bytes and writes one, with vector instructions.
"""

import numpy as np

workload = workload_cpu = dict(n=1_000_000)
smoke = dict(n=1_003)
tolerance = dict(rtol=0.0, atol=0.0)  # bytes are equal or they are not
tier = "naive"


def inputs(n):
    return (np.random.random(n) < 0.5,)


def reference(bits):
    text = "".join("1" if bit else "0" for bit in bits.tolist())
    return np.array([int(text[at : at + 8].ljust(8, "0"), 2) for at in range(0, len(text), 8)], dtype=np.uint8)


def baseline(bits):
    padded = np.zeros(-(-len(bits) // 8) * 8, dtype=np.uint8)
    padded[: len(bits)] = bits
    packed = np.zeros(len(padded) // 8, dtype=np.uint8)
    for shift in range(8):
        packed |= padded[shift::8] << (7 - shift)
    return packed


def optimized(bits):
    return np.packbits(bits)


def cost(n):
    return dict(flops=n, bytes=n + n // 8, baseline_bytes=11 * n, optimized_bytes=n + n // 8)
