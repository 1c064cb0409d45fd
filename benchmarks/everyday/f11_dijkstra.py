import heapq
import random


class Graph:
    def __init__(self, n):
        self.edges = {node: [] for node in range(n)}

    def add(self, a, b, weight):
        self.edges[a].append((b, weight))
        self.edges[b].append((a, weight))


def inputs():
    n = 400
    graph = Graph(n)
    for node in range(1, n):
        graph.add(node, random.randrange(node), random.uniform(1, 10))
    for _ in range(3 * n):
        graph.add(random.randrange(n), random.randrange(n), random.uniform(1, 10))
    return graph, random.randrange(n)


def baseline(graph, source):
    distance = {node: float("inf") for node in graph.edges}
    distance[source] = 0.0
    todo = set(graph.edges)
    while todo:
        node = min(todo, key=distance.get)
        todo.remove(node)
        for other, weight in graph.edges[node]:
            if distance[node] + weight < distance[other]:
                distance[other] = distance[node] + weight
    return distance


def optimized(graph, source):
    distance = {node: float("inf") for node in graph.edges}
    distance[source] = 0.0
    heap = [(0.0, source)]
    while heap:
        here, node = heapq.heappop(heap)
        if here > distance[node]:
            continue
        for other, weight in graph.edges[node]:
            there = here + weight
            if there < distance[other]:
                distance[other] = there
                heapq.heappush(heap, (there, other))
    return distance
