"""Write a stencil over a grid as numpy expressions instead of a loop.

Honest: both add the same four float64 values, in another order.
"""

import numpy

workload = workload_cpu = dict(side=24)
smoke = dict(side=11)
tolerance = dict(rtol=1e-14, atol=1e-14)  # three float64 additions of values near 1
tier = "naive"


def inputs(side):
    return (numpy.random.rand(side, side),)


def reference(grid):
    grid = grid.astype("longdouble")
    inner = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
    return (inner / 4).astype("float64")


def baseline(grid):
    rows, columns = grid.shape
    result = numpy.empty((rows - 2, columns - 2))
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            result[i - 1, j - 1] = (grid[i - 1, j] + grid[i + 1, j] + grid[i, j - 1] + grid[i, j + 1]) / 4
    return result


def optimized(grid):
    across = grid[1:-1, :-2] + grid[1:-1, 2:]
    down = grid[:-2, 1:-1] + grid[2:, 1:-1]
    return (across + down) * 0.25


def cost(side):
    return dict(predicted_optimized=100.0)
