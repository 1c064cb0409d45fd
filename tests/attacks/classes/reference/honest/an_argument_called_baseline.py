"""Subtract a drifting baseline from a spectrum in one pass.

Honest: the argument is called `baseline` because that is what spectroscopy calls it. The reference does not call the
side of that name.
"""

import numpy

workload = workload_cpu = dict(points=30_000)
smoke = dict(points=301)
tolerance = dict(rtol=1e-12, atol=1e-12)  # a float64 subtraction and a product of values near 1
tier = "idiomatic"


def inputs(points):
    return numpy.random.rand(points), numpy.random.rand(points)


def reference(spectrum, baseline):
    pairs = zip(spectrum.tolist(), baseline.tolist(), strict=True)
    return numpy.array([max(height - level, 0.0) * 0.5 for height, level in pairs])


def baseline(spectrum, baseline):
    corrected = spectrum - baseline
    corrected = numpy.where(corrected > 0, corrected, 0.0)
    return corrected * 0.5


def optimized(spectrum, baseline):
    corrected = numpy.subtract(spectrum, baseline)
    numpy.maximum(corrected, 0.0, out=corrected)
    corrected *= 0.5
    return corrected


def cost(points):
    return dict(bytes=24 * points, baseline_bytes=73 * points, optimized_bytes=56 * points)
