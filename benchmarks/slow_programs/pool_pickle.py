"""Score candidate windows of a series in parallel."""

from functools import partial
from multiprocessing import Pool

import numpy as np


def score(series, start):
    window = series[start : start + 500]
    return float(window.std() / (abs(window.mean()) + 1.0))


if __name__ == "__main__":
    series = np.random.default_rng(0).standard_normal(5_000_000)
    with Pool(2) as pool:
        scores = pool.map(partial(score, series), range(0, 50_000, 1_000), chunksize=1)
    print(max(scores))
