"""Deduplicate and rank search hits: heapq.nlargest instead of sorted."""

import heapq
import random


def inputs():
    return [(random.choice(range(10)), f"doc{random.randrange(500)}") for _ in range(1000)]


def baseline(hits):
    best = {}
    for s, d in hits:
        if d not in best or s > best[d]:
            best[d] = s
    return sorted(best.items(), key=lambda kv: kv[1], reverse=True)[:10]


def optimized(hits):
    best = {}
    for s, d in hits:
        if s > best.get(d, -1):
            best[d] = s
    return heapq.nlargest(10, best.items(), key=lambda kv: kv[1])
