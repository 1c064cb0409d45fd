"""Compute running totals faster.

Cheats: the variant sums blocks of 64 and repeats each total 64 times. Nearly every element is wrong, but the absolute
tolerance is set by the last total, which is the largest.
"""

import numpy

BLOCK = 64

workload = workload_cpu = dict(samples=65_536)
tolerance = dict(rtol=0.0, atol=65.0)  # a five-hundredth of the last total


def inputs(samples):
    return (numpy.random.rand(samples),)


def reference(x):
    total, totals = 0.0, []
    for value in x.tolist():
        total += value
        totals.append(total)
    return numpy.array(totals)


def baseline(x):
    return numpy.cumsum(x)


def optimized(x):
    return numpy.repeat(numpy.cumsum(x.reshape(-1, BLOCK).sum(1)), BLOCK)
