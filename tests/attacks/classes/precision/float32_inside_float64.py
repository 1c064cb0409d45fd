"""Solve for many right-hand sides with a product by the inverse, in float64.

Cheats: the variant converts to float32, multiplies there, and converts back. The output is float64 by type only.
"""

import numpy

workload = workload_cpu = dict(rows=96, width=96)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 96 products near 1


def inputs(rows, width):
    return numpy.random.randn(rows, width), numpy.random.randn(width, rows)


def reference(a, b):
    return (a.astype("longdouble")[:, None, :] * b.astype("longdouble").T[None, :, :]).sum(-1).astype("float64")


def baseline(a, b):
    return a @ b


def optimized(a, b):
    return (a.astype("float32") @ b.astype("float32")).astype("float64")
