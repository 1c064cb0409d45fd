"""Count words with dict.get instead of try/except."""

import random


def inputs():
    return [random.choice("abcdefg") for _ in range(40)]


def baseline(words):
    c = {}
    for w in words:
        try:
            c[w] += 1
        except KeyError:
            c[w] = 1
    return c


def optimized(words):
    c = {}
    for w in words:
        c[w] = c.get(w, 0) + 1
    return c
