import random

random.seed(1)
NODES = 220_000


def build_graph():
    neighbours = [[] for _ in range(NODES)]
    for node in range(1, NODES):
        parent = random.randrange(max(0, node // 64), node // 32 + 1)
        neighbours[parent].append(node)
    return neighbours


def levels(neighbours, start):
    depth = [-1] * NODES
    depth[start] = 0
    queue = [start]
    while queue:
        node = queue.pop(0)
        for other in neighbours[node]:
            if depth[other] < 0:
                depth[other] = depth[node] + 1
                queue.append(other)
    return depth


graph = build_graph()
depth = levels(graph, 0)
print(max(depth), sum(d >= 0 for d in depth))
