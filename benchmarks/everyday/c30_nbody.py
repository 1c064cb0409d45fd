"""Compute all-pairs forces in blocks of rows that fit the cache, not all pairs at once.

The whole matrix of differences has 3 numbers for each pair, and the distances and weights as many again: tens of
megabytes that go to memory and back several times. A block of rows makes the same temporaries small enough to stay in
the cache. The arithmetic is equal.
"""

import torch

BLOCK = 32
SOFT = 0.1  # softening: bodies that meet do not get an infinite force

workload = dict(bodies=8_192)
workload_cpu = dict(bodies=512)
smoke = dict(bodies=45)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums of a thousand forces of both signs, the answer near 1
tier = "naive"


def inputs(bodies):
    return torch.randn(bodies, 3), (0.5 + torch.rand(bodies)) / bodies


def reference(places, masses):
    wide, heavy = places.double(), masses.double()
    forces = []
    for body in wide:
        away = wide - body
        distance = (away.square().sum(-1) + SOFT**2).sqrt()
        forces.append((away * (heavy / distance**3)[:, None]).sum(0))
    return torch.stack(forces)


def baseline(places, masses):
    away = places[None, :, :] - places[:, None, :]
    squared = away.square().sum(-1) + SOFT**2
    return (away * (masses * squared**-1.5)[:, :, None]).sum(1)


def optimized(places, masses):
    forces = torch.empty_like(places)
    for start in range(0, len(places), BLOCK):
        block = places[start : start + BLOCK]
        away = places[None, :, :] - block[:, None, :]
        squared = away.square().sum(-1) + SOFT**2
        forces[start : start + BLOCK] = (away * (masses * squared**-1.5)[:, :, None]).sum(1)
    return forces


def cost(bodies):
    pairs = bodies**2
    return dict(flops=20 * pairs, bytes=28 * bodies, baseline_bytes=96 * pairs, optimized_bytes=28 * bodies)
