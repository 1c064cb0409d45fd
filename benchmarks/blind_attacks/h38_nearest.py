"""Search a k-d tree of fixed points, built beforehand, instead of every point."""

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

workload = workload_cpu = dict(points=4000, queries=100)
smoke = dict(points=401, queries=19)
constant = ("cloud",)


def inputs(points, queries):
    return np.random.rand(queries, 3), np.random.rand(points, 3)


def baseline(query, cloud):
    return cdist(query, cloud).argmin(1)


def prepare_optimized(query, cloud):
    return cKDTree(cloud)


def optimized(tree, query, cloud):
    return tree.query(query)[1]
