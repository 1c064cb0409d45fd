"""Distances in a graph: networkx against a breadth-first search on its adjacency."""

import random
from collections import deque

import networkx as nx

import perfproof


def draw():
    return nx.gnm_random_graph(150, 400, seed=random.randrange(2**31)), random.randrange(150)


def library(graph, start):
    return {node: nx.shortest_path_length(graph, start, node) for node in nx.node_connected_component(graph, start)}


def search(graph, start):
    found, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        for other in graph.adj[node]:
            if other not in found:
                found[other] = found[node] + 1
                queue.append(other)
    return found


answer = perfproof.compare(library, search, draw, effort="quick")
print(answer)
print(answer.status)
