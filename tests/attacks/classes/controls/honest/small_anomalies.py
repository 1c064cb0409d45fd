"""Smooth a pressure series with `convolve` instead of a loop over windows.

Honest: the output is nearly constant, 101,325 Pa and a few Pa more or less. The tolerance is a billionth of a Pa, not
a share of the pressure.
"""

import numpy

WINDOW = 8

workload = workload_cpu = dict(samples=300)
smoke = dict(samples=97)
tolerance = dict(rtol=1e-14, atol=1e-9)  # float64 sums of 8 values near 1e5, rounded at 1e-11
tier = "naive"


def inputs(samples):
    return (101_325.0 + numpy.random.randn(samples),)


def reference(pressure):
    windows = (pressure[start : start + WINDOW].astype("longdouble") for start in range(len(pressure) - WINDOW + 1))
    return numpy.array([window.sum() / WINDOW for window in windows], dtype="float64")


def baseline(pressure):
    return numpy.array([pressure[start : start + WINDOW].mean() for start in range(len(pressure) - WINDOW + 1)])


def optimized(pressure):
    return numpy.convolve(pressure, numpy.full(WINDOW, 1 / WINDOW), mode="valid")


def cost(samples):
    return dict(predicted_optimized=200.0)
