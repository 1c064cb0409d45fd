"""Rank with settings from a pydantic model and weights from a data file, in a project."""

import numpy as np
from ranker.config import settings
from ranker.features import featurize, weights


def inputs():
    return np.random.rand(200, settings.dims)


def baseline(x):
    s = featurize(x) @ weights()
    order = []
    for col in s.T:
        order.append(sorted(range(len(col)), key=lambda i: -col[i])[:5])
    return np.array(order)


def optimized(x):
    return np.argsort(-(featurize(x) @ weights()), axis=0)[:5].T.copy()
