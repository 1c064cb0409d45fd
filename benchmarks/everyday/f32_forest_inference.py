"""Walk all trees of a forest for all rows at once, level by level."""

import numpy as np

constant = ("feature", "threshold", "leaf")
workload = dict(trees=20, depth=7, rows=100, features=12)
smoke = dict(trees=3, depth=3, rows=11, features=4)


def constants(trees, depth, features):
    feature = np.random.randint(0, features, size=(trees, 2**depth - 1))
    threshold = np.random.randn(trees, 2**depth - 1) * 0.5
    leaf = np.random.randn(trees, 2**depth)
    return feature, threshold, leaf


def inputs(trees, depth, rows, features):
    return np.random.randn(rows, features)


def baseline(x, feature, threshold, leaf):
    trees, inner = feature.shape
    out = np.zeros(len(x))
    for i, row in enumerate(x):
        for t in range(trees):
            node = 0
            while node < inner:
                node = 2 * node + (1 if row[feature[t, node]] <= threshold[t, node] else 2)
            out[i] += leaf[t, node - inner]
    return out / trees


def optimized(x, feature, threshold, leaf):
    trees, inner = feature.shape
    rows = np.arange(len(x))[:, None]
    tree = np.arange(trees)[None, :]
    node = np.zeros((len(x), trees), dtype=np.int64)
    for _ in range((inner + 1).bit_length() - 1):
        left = x[rows, feature[tree, node]] <= threshold[tree, node]
        node = 2 * node + np.where(left, 1, 2)
    return leaf[tree, node - inner].mean(axis=1)
