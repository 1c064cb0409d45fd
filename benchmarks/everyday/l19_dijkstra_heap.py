"""Dijkstra with a heap. The textbook version scans all open nodes for the nearest one."""

import heapq
import random
from math import inf

workload = dict(side=18)
smoke = dict(side=4)
domain = dict(roads=(0.0, 1e6))  # minutes, never negative


def inputs(side):
    roads = {(r, c): [] for r in range(side) for c in range(side)}
    for r, c in list(roads):
        for near in ((r + 1, c), (r, c + 1)):
            if near in roads and random.random() < 0.85:
                roads[r, c].append((near, random.uniform(0.5, 8.0)))
                roads[near].append(((r, c), random.uniform(0.5, 8.0)))
    return roads, (random.randrange(side), random.randrange(side))


def baseline(roads, start):
    distance = {node: inf for node in roads}
    distance[start] = 0.0
    todo = set(roads)
    while todo:
        node = min(todo, key=distance.__getitem__)
        todo.remove(node)
        if distance[node] == inf:
            break
        for other, minutes in roads[node]:
            distance[other] = min(distance[other], distance[node] + minutes)
    return {node: None if d == inf else d for node, d in distance.items()}


def optimized(roads, start):
    distance = dict.fromkeys(roads)
    heap = [(0.0, start)]
    while heap:
        d, node = heapq.heappop(heap)
        if distance[node] is not None:
            continue
        distance[node] = d
        for other, minutes in roads[node]:
            if distance[other] is None:
                heapq.heappush(heap, (d + minutes, other))
    return distance
