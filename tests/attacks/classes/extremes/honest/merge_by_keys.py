"""Join two tables on sorted keys with a binary search instead of a dictionary.

Honest: it declares that keys come as `inputs` draws them, sorted and distinct. A join on an index needs both.
"""

import numpy

workload = workload_cpu = dict(keys=1_000, asked=500)
smoke = dict(keys=33, asked=7)
domain = dict(keys="drawn", asked="drawn")  # the index is sorted, and only what is in it is asked for
tolerance = dict(rtol=0.0, atol=0.0)  # values are picked, not computed
tier = "idiomatic"


def inputs(keys, asked):
    index = numpy.sort(numpy.random.choice(10 * keys, keys, replace=False))
    return index, numpy.random.rand(keys), numpy.random.choice(index, asked)


def reference(keys, values, asked):
    return numpy.array([values[keys.tolist().index(key)] for key in asked.tolist()])


def baseline(keys, values, asked):
    table = dict(zip(keys.tolist(), values.tolist(), strict=True))
    return numpy.array([table[key] for key in asked.tolist()])


def optimized(keys, values, asked):
    return values[numpy.searchsorted(keys, asked)]


def cost(keys, asked):
    return dict(predicted_optimized=5.0)
