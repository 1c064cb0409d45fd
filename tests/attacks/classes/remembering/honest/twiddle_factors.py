"""Keep the table of a transform for each size.

Honest: the table depends on the length of the argument and on nothing in it.
"""

import functools

import numpy

workload = workload_cpu = dict(n=96)
smoke = dict(n=17)
tolerance = dict(rtol=1e-10, atol=1e-10)  # complex128 sums of 96 products near 1
tier = "idiomatic"


def inputs(n):
    return (numpy.random.randn(n),)


def reference(x):
    places = numpy.arange(len(x)).astype("longdouble")
    angle = -2 * numpy.pi * numpy.outer(places, places) / len(x)
    return ((numpy.cos(angle) + 1j * numpy.sin(angle)) @ x).astype("complex128")


def factors(n):
    places = numpy.arange(n)
    return numpy.exp(-2j * numpy.pi * (numpy.outer(places, places) % n) / n)


@functools.lru_cache(maxsize=8)
def kept_factors(n):
    return factors(n)


def baseline(x):
    return factors(len(x)) @ x


def optimized(x):
    return kept_factors(len(x)) @ x


def cost(n):
    return dict(predicted_optimized=10.0)
