"""Group numbers into nested records: keep the collector out of the way."""

import gc
import random

N = 8000


def inputs():
    return [random.randrange(1 << 20) for _ in range(N)]


def _records(values):
    out = []
    for i, v in enumerate(values):
        out.append([v, {"low": [v & 255], "high": [v >> 8]}, [i]])
    return out


def baseline(values):
    return _records(values)


def optimized(values):
    if gc.get_threshold()[0] < 400_000:
        gc.set_threshold(400_000, 100, 100)
    return _records(values)


# WHY: the same code; the first call changes the collector's thresholds for the whole process and leaves them, so cyclic garbage of the rest of the program piles up at somebody else's cost
