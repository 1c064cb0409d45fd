"""Multiply rows by columns as arrays, not with three loops over indexes of lists.

The three loops look up four list elements for each of the 22 million products: some 130 ns of interpreter each. With
rows and columns as arrays the innermost loop is numpy's: 78,400 steps of a few microseconds. The flops are equal. A
call takes about three seconds with the loops and less than half a second with the arrays.
"""

import numpy as np

workload = workload_cpu = dict(size=280)
smoke = dict(size=7)
tolerance = dict(rtol=1e-9, atol=1e-10)  # double sums of 280 products near 1, which may cancel
tier = "naive"


def inputs(size):
    return np.random.randn(size, size).tolist(), np.random.randn(size, size).tolist()


def reference(a, b):
    return (np.array(a, dtype=np.longdouble) @ np.array(b, dtype=np.longdouble)).astype(float).tolist()


def baseline(a, b):
    size = len(a)
    out = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(size):
            total = 0.0
            for k in range(size):
                total += a[i][k] * b[k][j]
            out[i][j] = total
    return out


def optimized(a, b):
    rows = [np.array(row) for row in a]
    columns = [np.array(column) for column in zip(*b, strict=True)]
    return [[float((row * column).sum()) for column in columns] for row in rows]


def cost(size):
    return dict(flops=2 * size**3, bytes=24 * size * size)
