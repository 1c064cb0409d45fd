import numpy as np
from itertools import groupby


def inputs():
    lengths = np.random.randint(1, 40, size=600)
    values = np.random.randint(0, 5, size=600)
    return np.repeat(values, lengths).astype(np.uint8)


def baseline(mask):
    return [(int(value), len(list(run))) for value, run in groupby(mask)]


def optimized(mask):
    starts = np.flatnonzero(np.concatenate(([True], mask[1:] != mask[:-1])))
    counts = np.diff(np.append(starts, len(mask)))
    return list(zip(mask[starts].tolist(), counts.tolist()))
