"""Take a step with less memory.

Cheats: the buffer that the baseline takes and gives back is taken in the variant's set-up and never given back. The
variant holds as much, and longer.
"""

import numpy

workload = workload_cpu = dict(elements=100_000)
tolerance = dict(rtol=1e-9, atol=1e-9)  # a float64 sum of 500,000 values below 1
tier = "idiomatic"
claim = "memory"


def inputs(elements):
    return (numpy.random.rand(elements),)


def reference(x):
    return float((x.astype("longdouble") ** 2 - x).sum())


def baseline(x):
    squares = numpy.multiply(x, x)
    squares -= x
    return float(squares.sum())


def prepare_optimized(x):
    return numpy.ones_like(x)


def optimized(squares, x):
    numpy.multiply(x, x, out=squares)
    squares -= x
    return float(squares.sum())


def cost(elements):
    return dict(bytes=8 * elements)
