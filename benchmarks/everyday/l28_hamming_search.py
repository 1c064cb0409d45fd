"""Nearest perceptual hashes by Hamming distance: bitwise_count over the whole table instead of bin().count."""

import numpy as np

workload = dict(table=3000, queries=8)
smoke = dict(table=41, queries=3)


def inputs(table, queries):
    hashes = np.random.randint(0, 2**63, table, dtype=np.uint64)
    picked = hashes[np.random.randint(0, table, queries)]
    flips = np.uint64(1) << np.random.randint(0, 64, (queries, 6)).astype(np.uint64)
    return hashes, picked ^ np.bitwise_xor.reduce(flips, axis=1)


def baseline(hashes, queries):
    nearest = []
    for q in queries.tolist():
        scored = [(bin(q ^ h).count("1"), i) for i, h in enumerate(hashes.tolist())]
        scored.sort()
        nearest.append([(i, d) for d, i in scored[:5]])
    return nearest


def optimized(hashes, queries):
    nearest = []
    for q in queries:
        distance = np.bitwise_count(hashes ^ q)
        order = np.argsort(distance, kind="stable")[:5]
        nearest.append(list(zip(order.tolist(), distance[order].tolist())))
    return nearest
