"""Sliding windows of an iterable: a deque against islices, both generators."""

import itertools
import random
from collections import deque

import perfproof


def by_slices(values, width):
    for i in range(len(values) - width + 1):
        yield tuple(values[j] for j in range(i, i + width))


def by_deque(values, width):
    it = iter(values)
    window = deque(itertools.islice(it, width), maxlen=width)
    if len(window) == width:
        yield tuple(window)
    for v in it:
        window.append(v)
        yield tuple(window)


answer = perfproof.compare(
    by_slices, by_deque, lambda: ([random.randrange(1000) for _ in range(600)], random.randrange(4, 12)), effort="quick"
)
print(answer)
print(answer.status)
