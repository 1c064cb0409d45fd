"""Find the depth of every node of a tree in one pass over its parents, without lists of children."""

from collections import deque

import numpy as np

workload = dict(nodes=5000)
smoke = dict(nodes=41)


def inputs(nodes):
    parents = (np.random.rand(nodes) * np.arange(nodes)).astype(int)
    return parents.tolist()


def baseline(parents):
    children = [[] for _ in parents]
    queue = deque()
    for node, parent in enumerate(parents):
        if node == parent:
            queue.append(node)
        else:
            children[parent].append(node)
    depth = [0] * len(parents)
    while queue:
        node = queue.popleft()
        for child in children[node]:
            depth[child] = depth[node] + 1
            queue.append(child)
    return depth


def optimized(parents):
    depth = [0] * len(parents)
    for node, parent in enumerate(parents):
        if node != parent:
            depth[node] = depth[parent] + 1
    return depth
