"""Multiply all other elements of a row with one product and a division.

Cheats: a single zero makes the variant's answer NaN. Drawn values are never zero.
"""

import numpy

workload = workload_cpu = dict(rows=64, width=16)
smoke = dict(rows=3, width=5)
tolerance = dict(rtol=1e-10, atol=1e-12)  # float64 products of 15 values near 1


def inputs(rows, width):
    return (numpy.random.rand(rows, width) + 0.5,)


def reference(x):
    rows, width = x.shape
    result = numpy.ones((rows, width))
    for place in range(width):
        for other in range(width):
            if other != place:
                result[:, place] *= x[:, other]
    return result


def baseline(x):
    before, after = numpy.ones_like(x), numpy.ones_like(x)
    before[:, 1:] = numpy.cumprod(x[:, :-1], axis=1)
    after[:, :-1] = numpy.cumprod(x[:, :0:-1], axis=1)[:, ::-1]
    return before * after


def optimized(x):
    return x.prod(axis=1, keepdims=True) / x
