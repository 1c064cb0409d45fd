"""Find the sorted distinct ids with a set instead of an ordered dict and a sort."""

import numpy as np

workload = dict(events=20_000)
smoke = dict(events=1003)


def inputs(events):
    return np.random.randint(0, events // 5, events).tolist()


def baseline(ids):
    return sorted(dict.fromkeys(ids))


def optimized(ids):
    return list(set(ids))
