"""Find nearest neighbours in three dimensions with a k-d tree, not by brute force.

Brute force computes the distance of every query to every point. In few dimensions a tree leaves out nearly all of them:
a query descends log2(n) levels and looks into some leaves. Building the tree is set-up, since the points stay the same.
In 20 dimensions or more the tree has to look nearly everywhere, and brute force wins.
"""

import numpy as np
from sklearn.neighbors import NearestNeighbors

workload = workload_cpu = dict(points=20_000, queries=100, k=5)
smoke = dict(points=97, queries=7, k=3)
constant = ["points"]
tolerance = dict(rtol=1e-6, atol=1e-6)  # brute force takes |a|^2 - 2ab + |b|^2: near 0 it is good to sqrt(1e-15)
tier = "vendor"
needs = dict(packages=["sklearn"])


def inputs(points, queries, k):
    return np.random.rand(points, 3), np.random.rand(queries, 3), k


def reference(points, queries, k):
    distances, indices = [], []
    for query in queries:
        distance = np.sqrt(((points.astype(np.longdouble) - query) ** 2).sum(axis=1))
        order = np.argsort(distance, kind="stable")[:k]
        distances.append(distance[order])
        indices.append(order)
    return np.array(distances), np.array(indices)


def prepare_baseline(points, queries, k):
    return NearestNeighbors(algorithm="brute").fit(points)


def baseline(index, points, queries, k):
    return index.kneighbors(queries, n_neighbors=k)


def prepare_optimized(points, queries, k):
    return NearestNeighbors(algorithm="kd_tree").fit(points)


def optimized(index, points, queries, k):
    return index.kneighbors(queries, n_neighbors=k)


def cost(points, queries, k):
    return dict(flops=8 * points * queries, bytes=24 * (points + queries), optimized_flops=8 * 200 * queries)
