"""Neighbours within a radius: all pairs against a KD tree."""

import numpy as np
from scipy.spatial import cKDTree

domain = dict(points="drawn")  # a distance of exactly the radius is a matter of rounding


def inputs():
    return np.random.rand(400, 3)


def baseline(points):
    d = ((points[:, None] - points[None]) ** 2).sum(-1) ** 0.5
    i, j = np.nonzero(np.triu(d < 0.1, 1))
    return set(zip(i.tolist(), j.tolist()))


def optimized(points):
    return cKDTree(points).query_pairs(0.1)
