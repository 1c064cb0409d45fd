"""Find the depth of every node in one pass if all parents stand before their children.

That is checked for every node on the way; if one does not, the search from the root is made as before.
"""

from collections import deque

import numpy as np

workload = dict(nodes=5000)
smoke = dict(nodes=41)


def inputs(nodes):
    parents = (np.random.rand(nodes) * np.arange(nodes)).astype(int)
    return parents.tolist()


def search(parents):
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


def baseline(parents):
    return search(parents)


def optimized(parents):
    depth = []
    for node, parent in enumerate(parents):
        if 0 <= parent < node:
            depth.append(depth[parent] + 1)
        elif parent == node:
            depth.append(0)
        else:
            return search(parents)
    return depth
