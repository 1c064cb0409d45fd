"""Take a dot product that cancels in double precision with numpy, not with a Kahan sum in Python.

The two halves of the vectors nearly cancel, so a float32 sum would have few right digits. A Kahan loop keeps them, at
about ten interpreted operations an element. The product of two float32 numbers is exact in float64, and a float64 sum
of ten thousand of them is good to about 1e-12: numpy converts and sums at a nanosecond an element.
"""

import math

import numpy as np

workload = workload_cpu = dict(n=10_000)
smoke = dict(n=101)
tolerance = dict(rtol=1e-9, atol=1e-9)  # 1e4 products near 1, each sum rounded at 2**-53: about 1e-12
tier = "naive"


def inputs(n):
    half = np.random.standard_normal(n).astype(np.float32)
    other = np.random.standard_normal(n).astype(np.float32)
    left = np.concatenate([half, half])
    right = np.concatenate([other, -other + np.float32(1e-3) * np.random.standard_normal(n).astype(np.float32)])
    return left, right


def reference(left, right):
    return math.fsum(a * b for a, b in zip(left.tolist(), right.tolist(), strict=True))


def baseline(left, right):
    total = 0.0
    lost = 0.0
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        term = a * b - lost
        new = total + term
        lost = (new - total) - term
        total = new
    return total


def optimized(left, right):
    return float(np.dot(left.astype(np.float64), right.astype(np.float64)))


def cost(n):
    return dict(flops=4 * n, bytes=16 * n, baseline_flops=10 * n, optimized_flops=4 * n)
