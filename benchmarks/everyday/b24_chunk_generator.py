"""Cube by two products, not by a power, in a generator that hands out chunk after chunk.

numpy has a short way for the power 2, but takes a general pow for 3: a logarithm and an exponential in extra precision,
some 20 ns for each element. Two products take less than one. The chunks come from a generator, so that a reader never
holds more than one of them.
"""

import numpy as np

CHUNK = 16_384

workload = workload_cpu = dict(count=300_000)
smoke = dict(count=20_001)
tolerance = dict(rtol=1e-14, atol=0.0)  # two double products against one pow: a few units of the last place
tier = "idiomatic"


def inputs(count):
    return (np.random.randn(count),)


def reference(x):
    for start in range(0, len(x), CHUNK):
        wide = x[start : start + CHUNK].astype(np.longdouble)
        yield wide * wide * wide


def baseline(x):
    for start in range(0, len(x), CHUNK):
        yield x[start : start + CHUNK] ** 3


def optimized(x):
    for start in range(0, len(x), CHUNK):
        chunk = x[start : start + CHUNK]
        yield chunk * chunk * chunk


def cost(count):
    return dict(flops=2 * count, bytes=16 * count, baseline_flops=60 * count, optimized_flops=2 * count)
