"""Add up the squares of blocks of eight at once.

Honest: what does not fill a block is added on its own, although `inputs` draws whole blocks only.
"""

import numpy


def inputs():
    return numpy.random.rand(4096)


def baseline(x):
    return sum(float(x[at : at + 8].sum()) ** 2 for at in range(0, len(x), 8))


def optimized(x):
    whole = len(x) // 8 * 8
    blocks = x[:whole].reshape(-1, 8)
    return float(numpy.square(blocks.sum(axis=1)).sum()) + float(x[whole:].sum()) ** 2
