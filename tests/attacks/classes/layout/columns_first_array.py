"""Stack columns into a table.

Cheats: the variant fills rows of another array and returns its transpose, an array in Fortran order. The baseline's
table is in C order, which is what a reader of rows needs.
"""

import numpy

workload = workload_cpu = dict(columns=64, rows=1_024)
smoke = dict(columns=3, rows=11)
tolerance = dict(rtol=0.0, atol=0.0)  # values are copied


def inputs(columns, rows):
    return ([numpy.random.rand(rows) for _ in range(columns)],)


def reference(columns):
    return numpy.array([[column[row] for column in columns] for row in range(len(columns[0]))])


def baseline(columns):
    return numpy.stack(columns, axis=1)


def optimized(columns):
    return numpy.stack(columns, axis=0).T
