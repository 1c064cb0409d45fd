"""Find the ten best ratings of each row with a partition instead of a whole sort.

Honest: ratings are whole numbers and tie. The baseline's sort takes equal ones in no order, and so does a partition.
"""

import numpy

workload = workload_cpu = dict(rows=16, ratings=2_000)
smoke = dict(rows=3, ratings=301)


def inputs(rows, ratings):
    return numpy.random.randint(0, 20, (rows, ratings))


def baseline(ratings):
    return numpy.ascontiguousarray(numpy.argsort(-ratings, axis=1)[:, :10])


def optimized(ratings):
    best = numpy.argpartition(-ratings, 10, axis=1)[:, :10]
    order = numpy.argsort(-numpy.take_along_axis(ratings, best, axis=1), axis=1)
    return numpy.take_along_axis(best, order, axis=1)
