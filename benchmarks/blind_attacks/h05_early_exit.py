"""Is a list sorted: stop at the first pair that is not."""

import numpy as np

N = 400_000


def inputs():
    x = np.sort(np.random.standard_normal(N))
    if np.random.rand() < 0.9:
        i = np.random.randint(0, N // 20)
        x[i], x[i + 5] = x[i + 5], x[i]
    return x


def baseline(x):
    bad = np.flatnonzero(x[1:] < x[:-1])
    return int(bad[0]) if len(bad) else -1


def optimized(x):
    block = 8192
    for start in range(0, len(x) - 1, block):
        part = x[start : start + block + 1]
        less = part[1:] < part[:-1]
        if less.any():
            return start + int(less.argmax())
    return -1


# HONEST: skips only work whose result cannot change the answer, for any values; how much is skipped depends on the data that is drawn (look-alike of x12 to x14)
