"""Fill a ring buffer at once.

Honest: the arguments are objects that refer to each other, one of them is changed, and a cached property is used.
"""

from functools import cached_property

import numpy

workload = dict(n=128)
mutates = ("ring",)
tolerance = dict(rtol=0.0, atol=0.0)  # values are copied


class Writer:
    def __init__(self, ring, rows):
        self.ring, self.rows = ring, rows

    @cached_property
    def count(self):
        return len(self.rows)


class Ring:
    def __init__(self, n):
        self.data, self.at, self.writer = numpy.zeros((n, 4)), numpy.random.randint(n), None


def inputs(n):
    ring = Ring(n)
    ring.writer = Writer(ring, numpy.random.rand(n // 2, 4))
    return ring


def reference(ring):
    for row in ring.writer.rows:
        ring.data[ring.at % len(ring.data)] = row
        ring.at += 1


def baseline(ring):
    for row in ring.writer.rows:
        ring.data[ring.at % len(ring.data)] = row
        ring.at += 1


def optimized(ring):
    ring.data[(ring.at + numpy.arange(ring.writer.count)) % len(ring.data)] = ring.writer.rows
    ring.at += ring.writer.count
