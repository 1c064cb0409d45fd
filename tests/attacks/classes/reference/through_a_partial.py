"""Blur rows with a kernel of five.

Cheats: the reference calls a partial of the baseline, which hides the call from a reader.
"""

import functools

import numpy

workload = workload_cpu = dict(rows=64, width=64)
tolerance = dict(rtol=1e-12, atol=1e-12)  # float64 sums of five products


def inputs(rows, width):
    return (numpy.random.rand(rows, width),)


def blur(x, weights):
    return numpy.stack([numpy.convolve(row, weights, mode="same") for row in x])


def baseline(x):
    return blur(x, numpy.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16)


trusted = functools.partial(baseline)


def reference(x):
    return trusted(x)


def optimized(x):
    padded = numpy.pad(x, ((0, 0), (2, 2)))
    width = x.shape[1]
    shifts = [padded[:, start : start + width] for start in range(5)]
    return (shifts[0] + shifts[4]) / 16 + (shifts[1] + shifts[3]) / 4 + shifts[2] * 0.375
