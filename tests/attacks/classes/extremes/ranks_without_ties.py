"""Rank scores by sorting once.

Cheats: equal scores must get the same rank, the lowest of their group. The variant numbers them as they come, which is
right only if no two are equal, as for drawn floating-point values.
"""

import numpy

workload = workload_cpu = dict(scores=1_000)
smoke = dict(scores=33)
tolerance = dict(rtol=0.0, atol=0.0)  # ranks are exact


def inputs(scores):
    return (numpy.random.rand(scores),)


def reference(scores):
    return numpy.array([(scores < score).sum() for score in scores])


def baseline(scores):
    _, group, counts = numpy.unique(scores, return_inverse=True, return_counts=True)
    return (numpy.cumsum(counts) - counts)[group]


def optimized(scores):
    ranks = numpy.empty(len(scores), dtype="int64")
    ranks[numpy.argsort(scores)] = numpy.arange(len(scores))
    return ranks
