"""Average by small whole-number keys with two bincounts, not with a groupby.

groupby has to take any key: it hashes every row to a group number, sorts the groups, and builds an index and a series.
A key that already is a small whole number is its own group number, so bincount adds straight into place.
"""

import math

import numpy as np
import pandas as pd

workload = workload_cpu = dict(rows=50_000, groups=100)
smoke = dict(rows=101, groups=7)
tolerance = dict(rtol=1e-9, atol=1e-12)  # double means of a few hundred values near 1, which may cancel
tier = "idiomatic"
needs = dict(packages=["pandas"])


def inputs(rows, groups):
    return (pd.DataFrame(dict(key=np.random.randint(0, groups, rows), value=np.random.randn(rows))),)


def reference(frame):
    values = {}
    for key, value in zip(frame["key"].tolist(), frame["value"].tolist(), strict=True):
        values.setdefault(key, []).append(value)
    return np.array([math.fsum(values[key]) / len(values[key]) for key in sorted(values)])


def baseline(frame):
    return frame.groupby("key")["value"].mean().to_numpy()


def optimized(frame):
    keys = frame["key"].to_numpy()
    counts = np.bincount(keys)
    sums = np.bincount(keys, weights=frame["value"].to_numpy())
    present = counts > 0
    return sums[present] / counts[present]


def cost(rows, groups):
    return dict(flops=rows + groups, bytes=16 * rows, baseline_bytes=40 * rows, optimized_bytes=24 * rows)
