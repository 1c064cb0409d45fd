"""Find the sorted distinct values by counting if their range is small, and by sorting if it is not.

The range is taken from all values in every call, so the result is right for any whole numbers.
"""

import numpy as np

workload = dict(events=40_000)
smoke = dict(events=1003)


def inputs(events):
    return np.random.randint(0, events // 5, events) - int(np.random.randint(0, events))


def baseline(ids):
    return np.unique(ids)


def optimized(ids):
    if not ids.size:
        return np.unique(ids)
    low, high = int(ids.min()), int(ids.max())
    if high - low > 4 * ids.size:
        return np.unique(ids)
    return np.flatnonzero(np.bincount(ids - low)) + low
