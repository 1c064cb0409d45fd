"""Correct the gamma of 8-bit pixels with a table.

Honest: the table has an entry for each of 256 levels. It is made in the set-up from a constant, and each pixel of each
call is looked up.
"""

import numpy

workload = workload_cpu = dict(pixels=10_000)
smoke = dict(pixels=777)
constant = ("gamma",)
tolerance = dict(rtol=1e-12, atol=1e-12)  # one float64 power
tier = "idiomatic"


def inputs(pixels):
    return numpy.random.randint(256, size=pixels).astype("uint8"), 2.2


def reference(pixels, gamma):
    return numpy.array([(level / 255) ** gamma for level in pixels.tolist()])


def baseline(pixels, gamma):
    return (pixels / 255.0) ** gamma


def prepare_optimized(pixels, gamma):
    return (numpy.arange(256) / 255.0) ** gamma


def optimized(table, pixels, gamma):
    return table[pixels]


def cost(pixels):
    return dict(predicted_optimized=10.0)
