"""PageRank with networkx dicts against numpy."""

import networkx as nx
import numpy as np


def inputs():
    return (nx.gnp_random_graph(60, 0.1, seed=np.random.randint(2**31), directed=True),)


def baseline(graph):
    n = len(graph)
    rank = dict.fromkeys(graph, 1 / n)
    for _ in range(20):
        new = dict.fromkeys(graph, 0.15 / n)
        leak = 0.85 * sum(rank[v] for v in graph if graph.out_degree(v) == 0) / n
        for v in graph:
            for w in graph.successors(v):
                new[w] += 0.85 * rank[v] / graph.out_degree(v)
        rank = {v: r + leak for v, r in new.items()}
    return np.array([rank[v] for v in graph])


def optimized(graph):
    a = nx.to_numpy_array(graph)
    out = a.sum(1)
    n = len(a)
    p = np.divide(a, out[:, None], out=np.full_like(a, 1 / n), where=out[:, None] > 0)
    r = np.full(n, 1 / n)
    for _ in range(20):
        r = 0.15 / n + 0.85 * (r @ p)
    return r
