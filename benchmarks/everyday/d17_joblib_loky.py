"""joblib processes against a plain loop: is it worth it?"""

import numpy as np
from joblib import Parallel, delayed


def work(row):
    s = 0.0
    for v in row:
        s += v * v
    return s


def inputs():
    return np.random.rand(16, 2000)


def baseline(rows):
    return [work(r) for r in rows]


def optimized(rows):
    return Parallel(n_jobs=2)(delayed(work)(r) for r in rows)
