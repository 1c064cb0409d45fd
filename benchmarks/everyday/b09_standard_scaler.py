"""Standardise a plain array with two numpy reductions when the scaler is not kept.

StandardScaler validates its input, looks for infinities, counts missing values in each column and updates its mean and
variance so that it could go on with another batch. A single array without missing values needs none of that.
"""

import numpy as np
from sklearn.preprocessing import StandardScaler

workload = workload_cpu = dict(rows=5_000, features=20)
smoke = dict(rows=37, features=3)
tolerance = dict(rtol=1e-9, atol=1e-9)  # doubles near 1; mean and variance of 5,000 values are good to about 1e-13
tier = "vendor"
needs = dict(packages=["sklearn"])


def inputs(rows, features):
    return (np.random.randn(rows, features) * np.random.uniform(0.5, 5.0, features) + np.random.randn(features),)


def reference(x):
    out = np.empty(x.shape, dtype=np.longdouble)
    for j in range(x.shape[1]):
        column = x[:, j].astype(np.longdouble)
        centred = column - column.sum() / len(column)
        spread = np.sqrt((centred * centred).sum() / len(column))
        out[:, j] = centred / spread if spread > 0 else centred
    return out


def baseline(x):
    return StandardScaler().fit_transform(x)


def optimized(x):
    spread = x.std(axis=0)
    spread[spread == 0.0] = 1.0  # a column that is constant is only centred
    return (x - x.mean(axis=0)) / spread


def cost(rows, features):
    return dict(flops=6 * rows * features, bytes=16 * rows * features, baseline_bytes=64 * rows * features)
