"""Softmax over the edges of each node with scatters instead of a loop over nodes."""

import torch

workload = dict(edges=6000, nodes=300)
smoke = dict(edges=70, nodes=9)
sweep = dict(nodes=[100, 300, 1000])
tier = "naive"


def inputs(edges, nodes):
    scores = torch.randn(edges)
    target = torch.cat([torch.arange(nodes), torch.randint(0, nodes, (edges - nodes,))])
    return scores, target[torch.randperm(edges)]


def baseline(scores, target):
    out = torch.zeros_like(scores)
    for node in range(int(target.max()) + 1):
        mine = target == node
        out[mine] = torch.softmax(scores[mine], dim=0)
    return out


def optimized(scores, target):
    nodes = int(target.max()) + 1
    top = scores.new_full((nodes,), float("-inf")).scatter_reduce_(0, target, scores, "amax")
    weight = torch.exp(scores - top[target])
    total = scores.new_zeros(nodes).index_add_(0, target, weight)
    return weight / total[target]
