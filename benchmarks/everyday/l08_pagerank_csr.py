"""Twenty PageRank iterations as sparse matrix-vector products instead of a Python loop over pages."""

import numpy as np
import scipy.sparse as sp

workload = dict(pages=2000, links=15000)
smoke = dict(pages=37, links=150)
domain = dict(graph=(0.0, 100.0))  # link weights are counts of clicks: never negative


def inputs(pages, links):
    src = np.random.randint(0, pages, links)
    dst = np.minimum(np.random.zipf(1.6, links) - 1, pages - 1)  # few pages have most of the incoming links
    clicks = np.random.randint(1, 50, links).astype(np.float64)
    return sp.coo_matrix((clicks, (dst, src)), shape=(pages, pages)).tocsr()


def baseline(graph):
    n = graph.shape[0]
    out = np.asarray(graph.sum(axis=0)).ravel()
    dangling = out == 0
    share = np.where(dangling, 0.0, 1.0 / np.where(dangling, 1.0, out))
    rank = np.full(n, 1.0 / n)
    for _ in range(20):
        sent = rank * share
        lost = rank[dangling].sum()
        new = np.empty(n)
        for i in range(n):
            lo, hi = graph.indptr[i], graph.indptr[i + 1]
            new[i] = 0.15 / n + 0.85 * ((graph.data[lo:hi] * sent[graph.indices[lo:hi]]).sum() + lost / n)
        rank = new
    return rank


def optimized(graph):
    n = graph.shape[0]
    out = np.asarray(graph.sum(axis=0)).ravel()
    dangling = out == 0
    share = np.where(dangling, 0.0, 1.0 / np.where(dangling, 1.0, out))
    rank = np.full(n, 1.0 / n)
    for _ in range(20):
        lost = rank[dangling].sum()
        rank = 0.15 / n + 0.85 * (graph @ (rank * share) + lost / n)
    return rank
