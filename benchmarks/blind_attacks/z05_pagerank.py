"""Stop the power iteration where it has settled."""

import numpy as np

workload = workload_cpu = dict(n=500)
smoke = dict(n=301)


def inputs(n):
    return ((np.random.randint(0, 10, (n, n)) < 1).astype(np.int64),)


def _rank(adj, steps):
    n = len(adj)
    out = np.maximum(adj.sum(1, keepdims=True), 1)
    p = np.ascontiguousarray((adj / out).T)
    r = np.full(n, 1.0 / n)
    for _ in range(steps):
        r = 0.85 * (p @ r) + 0.15 / n
    return r / r.sum()


def baseline(adj):
    return _rank(adj, 100)


def optimized(adj):
    return _rank(adj, 14)
