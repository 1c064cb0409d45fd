"""Build a large table once, before the calls, if what it is built from stays the same.

A route planner answers from a table of all shortest distances. Floyd-Warshall over 2,048 places is 2,048 passes over
a table of 16 MiB, about ten seconds on a laptop; an answer is one look into it. The roads do not change from call to
call, so the table belongs in the preparation. It pays back with the second call.
"""

import torch

workload = workload_cpu = dict(places=2_048, queries=64)
smoke = dict(places=50, queries=7)
constant = ["roads"]
tolerance = dict(rtol=1e-5, atol=1e-7)  # sums of about ten float32 lengths
tier = "naive"


def inputs(places, queries):
    roads = (0.01 + torch.rand(places, places)).fill_diagonal_(0.0)
    return roads, torch.randint(places, (queries,)), torch.randint(places, (queries,))


def reference(roads, sources, targets):
    wide = roads.double()
    answers = []
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        distance = wide[source]
        while True:  # Bellman-Ford: one more road at the end of each way, until nothing gets shorter
            better = (distance[:, None] + wide).amin(0)
            if torch.equal(better, distance):
                break
            distance = better
        answers.append(distance[target])
    return torch.stack(answers)


def build(roads):
    table = roads.clone()
    through = torch.empty_like(table)
    for place in range(len(table)):
        torch.add(table[:, place : place + 1], table[place : place + 1], out=through)
        torch.minimum(table, through, out=table)
    return table


def baseline(roads, sources, targets):
    return build(roads)[sources, targets]


def prepare_optimized(roads, sources, targets):
    return build(roads)


def optimized(table, roads, sources, targets):
    return table[sources, targets]


def cost(places, queries):
    return dict(
        flops=queries,
        bytes=28 * queries,
        baseline_flops=2 * places**3,
        optimized_flops=queries,
        baseline_bytes=20 * places**3,
        optimized_bytes=28 * queries,
        samples=queries,
    )
