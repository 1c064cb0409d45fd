"""Do the same step many times or once: the ratio is known by construction.

A step is a chain of whole-number operations that nothing can shorten, about 0.2 ms long. The baseline repeats it from
the start and returns the last result, so both sides return the same.
"""

import random

workload = dict(length=2_400, times=2)
workload_cpu = dict(length=2_400, times=2)
smoke = dict(length=77, times=3)
constant = ("length", "times")
tolerance = dict(rtol=0.0, atol=0.0)  # whole numbers
tier = "naive"


def inputs(length, times):
    return random.randrange(2**31), length, times


def reference(x, length, times):
    for _ in range(length):
        x = (x * 1_103_515_245 + 12_345) & 0x7FFFFFFF
    return x


def step(x, length):
    for _ in range(length):
        x = (x * 1_103_515_245 + 12_345) & 0x7FFFFFFF
    return x


def baseline(x, length, times):
    for _ in range(times):
        out = step(x, length)
    return out


def optimized(x, length, times):
    return step(x, length)


def cost(length, times):
    return dict(predicted_optimized=float(times))
