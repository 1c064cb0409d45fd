"""Moving averages of a series as a generator: carry the sum along."""

import random

N, WIDTH = 3000, 32


def inputs():
    return [random.randrange(-1000, 1000) for _ in range(N)]


def baseline(values):
    for i in range(WIDTH, len(values) + 1):
        yield sum(values[i - WIDTH : i]) / WIDTH


def optimized(values):
    total = sum(values[:WIDTH])
    yield total / WIDTH
    for new, old in zip(values[WIDTH:], values):
        total += new - old
        yield total / WIDTH


# HONEST: a generator whose items are all right and cheaper to compute; whole numbers, so the running sum is exact (look-alike of x07)
