"""Sliding windows as a generator: slices against a deque."""

import random
from collections import deque
from itertools import islice


def inputs():
    return [random.randrange(100) for _ in range(2000)], random.randint(3, 9)


def baseline(xs, n):
    for i in range(len(xs) - n + 1):
        yield tuple(xs[i : i + n])


def optimized(xs, n):
    it = iter(xs)
    window = deque(islice(it, n), maxlen=n)
    yield tuple(window)
    for x in it:
        window.append(x)
        yield tuple(window)
