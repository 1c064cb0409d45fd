"""Edit distance: recursion with lru_cache against one row at a time."""

import random
import sys
from functools import lru_cache

sys.setrecursionlimit(10_000)


def inputs():
    word = lambda: "".join(random.choices("acgt", k=40))
    return word(), word()


def baseline(a, b):
    @lru_cache(maxsize=None)
    def go(i, j):
        if not i or not j:
            return i + j
        return min(go(i - 1, j) + 1, go(i, j - 1) + 1, go(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return go(len(a), len(b))


def optimized(a, b):
    row = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, cb in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (ca != cb))
    return row[-1]
