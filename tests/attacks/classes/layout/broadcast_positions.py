"""Add positions to a batch of images' coordinates.

Cheats: the variant broadcasts one row over the whole batch with numpy, which is a read-only view and no array of the
batch's size.
"""

import numpy

workload = workload_cpu = dict(batch=256, places=512)
smoke = dict(batch=3, places=11)
constant = ("batch",)
tolerance = dict(rtol=1e-12, atol=1e-12)  # one float64 root


def inputs(batch, places):
    return numpy.random.rand(places), batch


def reference(places, batch):
    return numpy.array([[place**0.5 for place in places.tolist()]] * batch)


def baseline(places, batch):
    return numpy.tile(numpy.sqrt(places), (batch, 1))


def optimized(places, batch):
    return numpy.broadcast_to(numpy.sqrt(places), (batch, len(places)))
