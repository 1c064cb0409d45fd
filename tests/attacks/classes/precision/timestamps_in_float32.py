"""Smooth timestamps with a kernel.

Cheats: seconds since 1970 need 31 bits before the point. The variant smooths them in float32, where neighbours are
128 seconds apart, and a relative tolerance of 2e-6 is an hour.
"""

import numpy

workload = workload_cpu = dict(series=64, events=384)
constant = ("kernel",)
tolerance = dict(rtol=2e-6, atol=0.0)  # nearly six digits


def inputs(series, events):
    kernel = numpy.random.rand(events, events)
    return 1.7e9 + numpy.random.rand(series, events) * 3_600, kernel / kernel.sum(0)


def reference(stamps, kernel):
    return numpy.stack([(stamps * column).sum(1) for column in kernel.T], axis=1)


def baseline(stamps, kernel):
    return stamps @ kernel


def prepare_optimized(stamps, kernel):
    return kernel.astype("float32")


def optimized(short, stamps, kernel):
    return (stamps.astype("float32") @ short).astype("float64")
