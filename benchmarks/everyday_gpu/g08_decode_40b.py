"""Replay the decode step of a 40 B-parameter model as a CUDA graph.

A step of one token reads 80 GB of weights once. Eager mode queues hundreds of kernels for it: if the host keeps up, the
device sees no difference, and the graph saves the gaps that are left.
"""

import torch
from decoder import count, decode, decode_in_double, make

workload = dict(layers=46, width=8_192, inner=28_672, length=1_024)
smoke = dict(layers=2, width=512, inner=320, length=9)
constant = ("weights", "keys", "values")
tolerance = dict(rtol=5e-2, atol=1e-1)  # bf16, some ten roundings per layer, 46 layers
tier = "idiomatic"
needs = dict(cuda=9.0)


def constants(layers, width, inner, length):
    return make(layers, width, inner, length)


def inputs(layers, width, inner, length):
    return torch.randn(1, width, dtype=torch.bfloat16)


def reference(weights, x, keys, values):
    return decode_in_double(weights, x, keys, values)


def baseline(weights, x, keys, values):
    return decode(weights, x, keys, values)


def prepare_optimized(weights, x, keys, values):
    place = x.clone()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        decode(weights, place, keys, values)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = decode(weights, place, keys, values)
    return graph, place, result


def optimized(prepared, weights, x, keys, values):
    graph, place, result = prepared
    place.copy_(x)
    graph.replay()
    return result.clone()


def cost(layers, width, inner, length):
    return count(layers, width, inner, length)
