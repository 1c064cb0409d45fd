"""Replace a Python loop over numbers by operations on whole arrays.

The interpreter spends tens of nanoseconds on every operation of every element: it looks names up, checks types and
makes an object for the result. An array operation does that once for all elements, and its loop is machine code. Here
it is the great-circle distance from a place to many others, twelve operations per place. The formula is the same on
both sides. Predicts: 12 operations of about 50 ns against 12 of about 5 ns, 10x. No gain where: arrays have a few
elements.
"""

import math

import numpy

RADIUS = 6371.0  # kilometres
INTERPRETED, COMPILED = 50e-9, 5e-9  # seconds per operation, estimated; sines and roots are most of the compiled ones

workload = dict(places=10_000)
workload_cpu = dict(places=10_000)
smoke = dict(places=777)
domain = dict(latitudes=(-1.5, 1.5), longitudes=(-3.1, 3.1), here=(-1.5, 1.5))  # radians
tolerance = dict(rtol=1e-9, atol=1e-6)  # float64 in kilometres: a millimetre near the place itself, where roots cancel
tier = "naive"
menu = ("both", "host-bound")


def inputs(places):
    latitudes = numpy.random.uniform(-1.5, 1.5, places)
    longitudes = numpy.random.uniform(-3.1, 3.1, places)
    return latitudes, longitudes, numpy.random.uniform(-1.5, 1.5, 2)


def reference(latitudes, longitudes, here):
    """By the angle between two vectors from the centre of the Earth: another formula, exact at all distances."""

    def on_the_sphere(latitude, longitude):
        flat = numpy.cos(latitude)
        return numpy.stack([flat * numpy.cos(longitude), flat * numpy.sin(longitude), numpy.sin(latitude)])

    there, start = on_the_sphere(latitudes, longitudes), on_the_sphere(here[:1], here[1:])
    across = numpy.linalg.norm(numpy.cross(there, start, axis=0), axis=0)
    return RADIUS * numpy.arctan2(across, (there * start).sum(0))


def baseline(latitudes, longitudes, here):
    latitude, longitude = here
    distances = []
    for there, along in zip(latitudes, longitudes, strict=True):
        north, east = math.sin((there - latitude) / 2), math.sin((along - longitude) / 2)
        share = north * north + math.cos(latitude) * math.cos(there) * east * east
        distances.append(2 * RADIUS * math.asin(math.sqrt(share)))
    return numpy.array(distances)


def optimized(latitudes, longitudes, here):
    latitude, longitude = here
    north, east = numpy.sin((latitudes - latitude) / 2), numpy.sin((longitudes - longitude) / 2)
    share = north * north + numpy.cos(latitude) * numpy.cos(latitudes) * east * east
    return 2 * RADIUS * numpy.arcsin(numpy.sqrt(share))


def cost(places):
    return dict(predicted_optimized=INTERPRETED / COMPILED)
