"""Take the mean of doubles.

Cheats: computes in float32. A number of Python does not show what it was computed in.
"""

import numpy


def inputs():
    return numpy.random.rand(30_000) * 1000


def baseline(x):
    return float(numpy.mean(x))


def optimized(x):
    return float(numpy.mean(x.astype(numpy.float32)))
